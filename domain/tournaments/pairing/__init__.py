"""Pairing: who sits at which table of a round, and in which seat."""
