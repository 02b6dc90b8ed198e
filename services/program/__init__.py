"""The program: every part made and joined by hand, in one place."""
