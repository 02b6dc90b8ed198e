"""Doubts: how far a seat is from playing as level 1 does, learnt in public from the dice that were shown.

Whoever plays otherwise than its dice say is read with a grain of salt from the next round on, and everybody knows it:
only moves whose dice all have seen count. What is learnt of a seat ends with the match.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Final

from domain.strategy.level_params import LevelParams, fraction_of
from domain.strategy.weighing import Share

Trust = tuple[Fraction, ...]
"""How likely each doubt is to be the one a seat deserves, in the order of the doubts of the policy."""
STEPS: Final = 1 << 30
"""What a weight of a doubt is rounded to a whole number of."""


def trust_at_first(params: LevelParams) -> Trust:
    """Return what is thought of a seat that nobody has seen: every doubt is as likely as another."""
    return (Fraction(1, len(params.doubts)),) * len(params.doubts)


def trust_after(trust: Trust, seen: Iterable[Share], params: LevelParams) -> Trust:
    """Return what is thought of a seat after a round in which the dice of each of its moves have been shown to all.

    Args:
        trust: What was thought of it.
        seen: The share that each of these moves had by the dice the seat held then.
        params: The doubts, and how much of what was learnt is kept.
    """
    shares, doubts = list(seen), [fraction_of(ratio) for ratio in params.doubts]
    likely = [
        _times(weight, [share.likelihood(doubt) for share in shares])
        for weight, doubt in zip(trust, doubts, strict=True)
    ]
    keep, total = fraction_of(params.doubt_keep), sum(likely, Fraction(0))
    back = (1 - keep) * Fraction(1, len(doubts))
    return tuple([Fraction(round((keep * each / total + back) * STEPS), STEPS) for each in likely])


def _times(weight: Fraction, factors: Iterable[Fraction]) -> Fraction:
    for factor in factors:
        weight *= factor
    return weight


def doubt_of(trust: Trust, params: LevelParams) -> Fraction:
    """Return how much a seat is doubted: the mean of the doubts, rounded to the grain of the policy."""
    parts = [weight * fraction_of(ratio) for weight, ratio in zip(trust, params.doubts, strict=True)]
    return Fraction(round(sum(parts, Fraction(0)) * params.grain), params.grain)
