"""One game: its state, what its events change, what may be asked of it, and what that leads to."""
