"""Counts of matches, for operators: `open_matches`, how many go on, by how far they are."""
