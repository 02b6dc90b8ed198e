"""Tournaments as laws: who sits with whom, what a result is worth and who stands where, the same for everybody.

In reading order:

    points          whole numbers and fractions as they are written
    pairing         who sits at which table, in which seat
    ranking         what a place at a table is worth, and who stands where
    certificates    what is claimed of a pairing, and how anybody checks it
"""
