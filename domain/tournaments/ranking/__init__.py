"""Ranking: what a place at a table is worth, and who stands where."""
