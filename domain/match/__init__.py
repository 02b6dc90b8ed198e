"""A match from its lobby to its last line: seats, deals, clocks, absence, and the game itself."""
