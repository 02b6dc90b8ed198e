"""Fair accuracy: how near to the best decisions were whose losses are estimated, right on average.

A loss that is estimated comes out too small or too large by chance, and below nothing where little or nothing was lost.
Here it is taken as it came out: to cut off what is below nothing would make every seat seem to lose, and to tell only
losses that are certain would make it seem to lose nothing. The curve of accuracy is bent, so that errors to both sides
do not make up for each other; what that brings on average is taken away.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from msgspec import Struct

from domain.analysis.figures import MILLION, ppm_of
from domain.analysis.grades.accuracy import FADING, FLOOR, accuracy_of
from domain.analysis.grades.decisions import POINT
from domain.analysis.worths.estimates import SURE, Estimate, sum_of

FADES: Final = Fraction(*FADING) * Fraction(MILLION, POINT)
"""The same over all of the stake."""


class EstimatedLoss(Struct, frozen=True):
    """What a decision lost.

    Attributes:
        points: Of its stake; where that was drawn it may be below 0.
        stake: What the decision weighs in a mean.
    """

    points: Estimate
    stake: Fraction


def fair_accuracy(decisions: Sequence[EstimatedLoss]) -> Estimate:
    """Return the mean accuracy of decisions, weighted by their stakes: 0 to 1."""
    whole = sum([each.stake for each in decisions], Fraction(0))
    shares = [accuracy_of_estimate(each.points).times(each.stake * (Fraction(1) / whole)) for each in decisions]
    mean = sum_of(shares)
    return Estimate(min(max(Fraction(0), mean.value), Fraction(1)), mean.half)


def accuracy_of_estimate(points: Estimate) -> Estimate:
    """Return the accuracy of a decision by what it is estimated to have lost of its stake, 0 to 1 on average.

    Above its floor the curve fades by the power of e, so that a loss that is off by chance gives e^(x^2 / 2) times as
    much on average, where x is how much it fades in one deviation. One below 0 gives as much more as one above less.
    Source: the mean of a log-normal distribution.
    """
    lost = ppm_of(points.value)
    above = Fraction(accuracy_of(abs(lost)) + FLOOR, MILLION)
    if lost < 0:
        above = Fraction(MILLION + FLOOR, MILLION) ** 2 * (Fraction(1) / above)
    half = points.half or Fraction(0)
    bend = FADES**2 * half**2 * (Fraction(1) / SURE) * Fraction(1, 2)
    above *= Fraction(1) / (1 + bend + bend**2 * Fraction(1, 2) + bend**3 * Fraction(1, 6))
    found = above - Fraction(FLOOR, MILLION)
    return Estimate(found, None if points.half is None else FADES * above * half)
