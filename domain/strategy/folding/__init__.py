"""Folding: W of a round, worked out from its end back to any of its positions.

In reading order:

    positions    every claim that may stand, and where a claim leads
    bidding      all of a round, with what a policy makes of each
    solved_play  what a certified table makes of them
    verdicts     what each verdict of a round is worth
    fold_back    what positions are worth when the dice are these
    cup_dice     of a cup that is passed on: which dice are told apart
    passed_cups  the same where one cup is passed on: how a round ends that goes on from here
"""
