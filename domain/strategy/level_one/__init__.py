"""Level 1: simple odds, for every game.

In reading order:

    count_columns  the worths and weights of claims on one face
    count_table   what it makes of one position of a bidding, whatever the hand
    counts        moves where claims count
    hands         calls where claims name hands
    answers       what is said to a standing hand, and believing any claim
    arrangements  every lawful way to handle dice
    kept_table    all ways to handle a hand before a call, weighed together
    count_handling  handling dice where claims count
    arranging     what each of them is worth
    others        moves that no odds decide
    thinking      all rows together: what it thinks of, and how much of each
"""
