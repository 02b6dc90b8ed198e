"""Level 1: simple odds, for every game.

In reading order:

    count_table   what it makes of one position of a bidding, whatever the hand
    counts        moves where claims count
    thinking      all rows together: what it thinks of, and how much of each
"""
