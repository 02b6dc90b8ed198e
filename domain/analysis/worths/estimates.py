"""Estimates: means over deals, enumerated with their chances or drawn, and how far a drawn one may be off."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import isqrt
from typing import Final

from msgspec import Struct

from domain.analysis.figures import MILLION, Figure, certified, model, ppm_of, sampled

SURE: Final = Fraction(38_416, 10_000)
"""1.96 squared: 95 % of a bell lie as many deviations from its middle, or nearer."""


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
        pairs = zip(self.values, other.values, strict=True)
        return Valued([one - two for one, two in pairs], self.weights)

    def mean(self) -> Estimate:
        """Return the mean of the values."""
        if self.weights is None:
            return Estimate(Fraction(sum(self.values), len(self.values)), Fraction(half_width(self.values)))
        total = sum([value * weight for value, weight in zip(self.values, self.weights, strict=True)])
        return Estimate(Fraction(total, sum(self.weights)))


def half_width(values: Sequence[int]) -> int:
    """Return half the width of the 95 % interval of the mean of values that were drawn, rounded up.

    That is `ceil(sqrt(1.96^2 (n S2 - S1^2) / (n^2 (n - 1))))` of two values or more; S1 and S2 are the sums of values
    and squares.
    """
    n, first = len(values), sum(values)
    spread = n * sum([value * value for value in values]) - first * first
    over = SURE.denominator * n * n * (n - 1)
    # The root of a number rounded up, rounded up, is the root of the number, rounded up.
    squared = -(-SURE.numerator * spread // over)
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
