"""Screening for collusion: statistics of pairs that play together often, for the officials of a tournament alone.

It proves nothing of anybody and acts on nothing. What is looked at is public: opened dice, and results that count.

    decisions    what a seat did about a claim, and how likely that was to hold as the seat saw it
    softness     whether somebody spares the claims of another
    company      whether somebody does better where another sits
    sittings     rounds, as both look at them
    nulls        how often chance alone would come as far
    flags        which of many pairs stand out
    screening    all pairs of a tournament after a round, and the files of those that stand out

Source: the laws of tournaments, screening.
"""
