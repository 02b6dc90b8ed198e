"""Folding: W of a round of own cups, worked out from its end back to any of its positions.

In reading order:

    bidding      every position of a round, and what a policy makes of each
    solved_play  what a certified table makes of them
    verdicts     what each verdict of a round is worth
    fold_back    what positions are worth when the dice are these
"""
