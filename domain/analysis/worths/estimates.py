"""Estimates: means over deals, enumerated with their chances or drawn, and how far a drawn one may be off."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from operator import mul, sub
from typing import Final

from msgspec import Struct

from domain.analysis.figures import MILLION, Figure, certified, model, ppm_of, sampled

BELL: Final = Fraction(196, 100)
"""95 % of a bell lie as many deviations from its middle, or nearer."""
SURE: Final = BELL**2
FEW: Final = 512
"""Below so many, values that were drawn are few: the mean of all that might have been is no bell."""
Ends = tuple[int, int]
"""The least and the most that values may be."""


ROOT: Final = 10**12
"""What roots of fractions are a whole number of parts of."""


class Estimate(Struct, frozen=True):
    """A number, and how sure it is.

    Attributes:
        value: The number.
        half: Half the width of its 95 % interval, where it is a mean over deals that were drawn.
        proved: Half the width of what it is proved to lie within, where it is; it was not drawn then.
    """

    value: Fraction
    half: Fraction | None = None
    proved: Fraction | None = None

    @property
    def figure(self) -> Figure:
        """The number as it is printed."""
        return self.printed(ppm_of(self.value))

    def less(self, other: Estimate) -> Estimate:
        """Return the difference, as if both had been drawn apart."""
        return sum_of([self, Estimate(-other.value, other.half, other.proved)])

    def times(self, by: Fraction) -> Estimate:
        """Return it so many times over, 0 or more, with the interval of what was drawn."""
        return Estimate(self.value * by, None if self.half is None else self.half * by)

    def printed(self, ppm: int) -> Figure:
        """Return the figure, with this many millionths in the place of its own."""
        if self.half is not None:
            return sampled(ppm, ppm_up(self.half))
        return model(ppm) if self.proved is None else certified(ppm, ppm_up(self.proved))


def sum_of(estimates: Iterable[Estimate]) -> Estimate:
    """Return the sum, as if each had been drawn apart: the square of its width is the sum of the squares of theirs."""
    every = list(estimates)
    halves = [each.half for each in every if each.half is not None]
    value = sum([each.value for each in every], Fraction(0))
    if not halves:
        proved = [each.proved for each in every if each.proved is not None]
        sure = bool(every) and len(proved) == len(every)
        return Estimate(value, None, sum(proved, Fraction(0)) if sure else None)
    if len(halves) == 1:
        return Estimate(value, halves[0])
    squares = sum([half * half for half in halves], Fraction(0))
    return Estimate(value, Fraction(isqrt(squares.numerator * ROOT * ROOT // squares.denominator) + 1, ROOT))


def first_best(worths: Sequence[Estimate]) -> int:
    """Return the index of what is worth most, the first of several."""
    return max(range(len(worths)), key=lambda at: (worths[at].value, -at))


def ppm_up(value: Fraction) -> int:
    """Return a width in millionths, rounded up."""
    return -(-value.numerator * MILLION // value.denominator)


class Valued(Struct, frozen=True):
    """What each of some deals is worth, in integers.

    Attributes:
        values: One for each deal.
        weights: How likely each is, where they are all there are; None where they were drawn.
    """

    values: Sequence[int]
    weights: Sequence[int] | None = None

    def less(self, other: Valued) -> Valued:
        """Return the differences, deal by deal: their mean is far surer than two means are."""
        return Valued(list(map(sub, self.values, other.values)), self.weights)

    def mean(self) -> Estimate:
        """Return the mean of the values."""
        if self.weights is None:
            return Estimate(Fraction(sum(self.values), len(self.values)), Fraction(half_width(self.values)))
        total = sum(map(mul, self.values, self.weights))
        return Estimate(Fraction(total, sum(self.weights)))


def half_width(values: Sequence[int]) -> int:
    """Return half the width of the 95 % interval of the mean of values that were drawn, rounded up.

    That is `ceil(sqrt(1.96^2 (n S2 - S1^2) / (n^2 (n - 1))))` of two values or more; S1 and S2 are the sums of values
    and squares.
    """
    n, first = len(values), sum(values)
    spread = n * sum(map(mul, values, values)) - first * first
    over = SURE.denominator * n * n * (n - 1)
    # The root of a number rounded up, rounded up, is the root of the number, rounded up.
    return _root_up(-(-SURE.numerator * spread // over))


def half_width_of_few(values: Sequence[int], ends: Ends) -> int:
    """Return half the width of the 95 % interval of the mean of values that were drawn, which may be few, rounded up.

    A few values are often all alike where others might have been drawn, so that they seem to leave nothing open. So
    they are given one more, one half of it at each end, and Student's quantile with as many degrees of freedom as there
    are values stands for 1.96. From 512 on they are as `half_width` says. The mean itself stays theirs, which is fair.

    Args:
        values: What was drawn, four or more.
        ends: Between which it lies, as far as anybody could reckon; what was drawn may be beyond.

    Source: halves at both ends are the prior of Jeffreys, which Brown, Cai and DasGupta, Interval Estimation for a
    Binomial Proportion (2001), section 4.1, find to cover in small samples; Agresti and Coull add two at each end.
    """
    if len(values) >= FEW:
        return half_width(values)
    least, most = min(ends[0], *values), max(ends[1], *values)
    # Everything is counted in halves.
    n = 2 * len(values) + 2
    first = 2 * sum(values) + least + most
    second = 2 * sum(map(mul, values, values)) + least * least + most * most
    squared = student(len(values)) ** 2 * Fraction(2 * (n * second - first * first), n**3)
    return _root_up(-(-squared.numerator // squared.denominator))


@lru_cache(maxsize=FEW)
def student(freedom: int) -> Fraction:
    """Return how many deviations from its middle 95 % of Student's distribution lie, or nearer.

    It is right to three digits with four degrees of freedom or more. Source: Abramowitz and Stegun, 26.7.5.
    """
    z = BELL
    terms = (
        z,
        (z**3 + z) * Fraction(1, 4),
        (5 * z**5 + 16 * z**3 + 3 * z) * Fraction(1, 96),
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) * Fraction(1, 384),
        (79 * z**9 + 776 * z**7 + 1_482 * z**5 - 1_920 * z**3 - 945 * z) * Fraction(1, 92_160),
    )
    exact = sum([term * Fraction(1, freedom**power) for power, term in enumerate(terms)], Fraction(0))
    return Fraction(round(exact * ROOT), ROOT)


def _root_up(squared: int) -> int:
    root = isqrt(squared)
    return root + (root * root < squared)


def even_out(values: Sequence[Fraction], whole: Fraction) -> tuple[int, ...]:
    """Return numbers in millionths that sum to the whole: rounded down, and the largest remainders up."""
    scaled = [value * MILLION for value in values]
    found = [each.numerator // each.denominator for each in scaled]
    missing = ppm_of(whole) - sum(found)
    by_rest = sorted(range(len(found)), key=lambda place: (found[place] - scaled[place], place))
    for place in by_rest[: max(0, missing)]:
        found[place] += 1
    return tuple(found)
