"""Figures: numbers of an analysis, in millionths, with what vouches for each.

The law of the file: whatever is printed was rounded once, half to even, from its exact value, and is an integer.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Final, Literal

from msgspec import Struct

MILLION: Final = 1_000_000
"""Parts of a whole, ppm: of 1 for a chance, of the match for equity, of the unit of a session, of the stake."""
DIGITS_MAX: Final = 40
"""Digits either part of a fraction may have and still be written out beside its figure."""
TOO_LONG: Final = 10**DIGITS_MAX

Guarantee = Literal["exact", "certified", "model", "sampled"]
Reason = Literal["not_shown", "no_model", "no_stake"]
"""Why there is no figure: dice nobody saw, rules no policy knows how to play, a round in which nothing was at stake."""


class Figure(Struct, frozen=True, array_like=True):
    """A number of an analysis: how many millionths, and what vouches for it."""

    ppm: int
    by: Guarantee


class BackedFigure(Figure, frozen=True, array_like=True):
    """A figure with more behind it.

    Attributes:
        more: The fraction itself where exact; half the width in ppm, rounded up, where certified or sampled.
    """

    more: int | str


Printed = Figure | Reason
"""What stands in an analysis where a figure may."""


def divide(value: int, by: int) -> int:
    """Return a quotient of integers, rounded half to even; `by` is above 0."""
    whole, rest = divmod(value, by)
    return whole + (2 * rest > by or (2 * rest == by and whole % 2 == 1))


def ppm_of(value: Fraction | int) -> int:
    """Return a number in millionths, rounded half to even."""
    return divide(value.numerator * MILLION, value.denominator)


def exact(value: Fraction | int) -> Figure:
    """Return the figure of a fact of dice or arithmetic, with its fraction unless that is too long to be read."""
    return _exact(value.numerator, value.denominator)


@lru_cache(maxsize=8_192)
def _exact(part: int, whole: int) -> Figure:
    """Return the figure of a fraction in lowest terms: few come about in a match, each again and again."""
    value = Fraction(part, whole)
    if max(abs(part), whole) >= TOO_LONG:
        return Figure(ppm_of(value), "exact")
    return BackedFigure(ppm_of(value), "exact", str(value))


def model(ppm: int) -> Figure:
    """Return the figure of a number that is exact under a named policy."""
    return Figure(ppm, "model")


def certified(ppm: int, half: int) -> Figure:
    """Return the figure of a number that is proved to lie within `half` ppm of this."""
    return BackedFigure(ppm, "certified", half)


def sampled(ppm: int, half: int) -> Figure:
    """Return the figure of an estimate; half the width of its 95 % interval is `half` ppm."""
    return BackedFigure(ppm, "sampled", half)
