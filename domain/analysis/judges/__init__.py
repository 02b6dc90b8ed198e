"""Judges of rounds: what every moment and every move was worth, by the means that the rules of a round allow.

In reading order:

    doings         what was done, with what followed of itself
    judge          what every judge tells
    ways           moves that could be made, as they are told
    telling        decisions, told
    folding        rounds that fold, doing by doing
    surprises      how likely everybody took a move to be
    rollouts       rounds that have to be played on
    cup_decisions  decisions at a cup whose throws are gone through
    blind_cups     blind cups of two seats
    passed_cups    cups that are passed on, and fold
    fair_accuracy  how near to the best decisions were whose losses are estimated
    sums           what a seat lost by all its decisions
"""
