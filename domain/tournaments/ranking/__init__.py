"""Ranking: what a place at a table is worth, and who stands where.

In reading order:

    scoring      points of places and byes
    results      what came of each table, and who had a bye
    legs         what a table of two counts as that plays several matches
    outcomes     what each round was to each entrant, in whole units
    tiebreaks    who stands before whom where scores are equal
    encounters   what those who are tied did against each other
    standings    who stands where, why, and the hash of it
    orders       a ladder, and a chouette, as they follow from what has been played
    prizes       what places are worth, to the last unit
    boards       scores of a duplicate board; `differences`, results that count by them
    trf          the report that programs of chess read
"""
