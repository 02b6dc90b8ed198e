"""Worths: what moments and moves of a match were worth, and where the change of it came from.

In reading order:

    estimates  means over deals, and how far they may be off
    equity     what a moment of a round, and each move, is worth
    rolled     the same where a round has to be played on
    blind      the same in a blind cup of two seats
    luck       where the change of a match's worth came from
"""
