"""Worths: what moments and moves of a match were worth, and where the change of it came from.

In reading order:

    estimates         means over deals, and how far they may be off
    scenes            moments of a round that folds, and the deals there may be
    equity            what a moment of a round, and each move, is worth
    rolled            moments of a round that has to be played on
    rolled_decisions  its moves
    blind             moments and moves of a blind cup of two seats
    passed            the same of a passed cup that folds, by how its rounds end
    luck              where the change of a match's worth came from
"""
