"""Strategy: how a seat may play, how its moves are read, and what a round is worth, in integers and fractions."""
