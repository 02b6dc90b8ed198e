"""Tablebase of the blind cup, every position of which is one rung: values from the top down, in fractions.

Two seats pass a cup that nobody but the roller sees, claims rise, and nothing else is done.

Facing claim r, the roller throws, sees and names c > r. The answerer challenges, or throws blind and faces c; the top
claim is only challenged. Let `w_c = -v(c)` be what is left to the roller who is believed. The answerer holds every lie
at or below `l` by challenging c with the chance `a_c = max(0, (w_c - l) / (1 + w_c))`; a true claim is then worth
`w_c + a_c (1 - w_c)`, and a roller of rung x takes the best of `l` and of the true claims up to x. The mean over throws
is convex and piecewise linear in `l`: its least value, at a corner, is v(r). +1 won, -1 lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import accumulate

from msgspec import Struct

from domain.statistics.odds import Throw, chances_of_hands

ONE = Fraction(1)


class Facing(Struct, frozen=True):
    """What is known of facing one claim.

    Attributes:
        value: What the round is worth to whoever throws and has to beat it.
        doubts: For each higher claim, lowest first, the chance that it is challenged by one best answerer.
    """

    value: Fraction
    doubts: tuple[Fraction, ...]


class Tablebase(Struct, frozen=True):
    """Every position of a blind cup.

    Attributes:
        answers: By the standing rung and one more: the first is for a cup of which nothing was claimed. The last but
            one is the top that may still be beaten; who faces the top claim challenges it.
    """

    answers: tuple[Facing, ...]

    def facing(self, standing: int | None) -> Facing:
        """Return what is known of whoever throws and faces this rung; None for a cup of which nothing was claimed."""
        return self.answers[0 if standing is None else standing + 1]


class _Claim(Struct, frozen=True):
    """A claim that may be made: what is left to the roller if it is believed; None of the top, which never is.

    Where its lies are held at `l`, the true one is worth `height - slope * l`, and no less than `left`.
    """

    left: Fraction | None

    @property
    def slope(self) -> Fraction:
        return Fraction(0) if self.left is None else Fraction(1 - self.left) / (1 + self.left)

    @property
    def height(self) -> Fraction:
        return ONE if self.left is None else self.left * (1 + self.slope)

    def worth(self, lie: Fraction) -> Fraction:
        """Return what the true claim is worth where no lie is worth more than this."""
        return ONE if self.left is None else max(self.left, self.height - self.slope * lie)

    def doubt(self, lie: Fraction) -> Fraction:
        """Return the chance of a challenge that holds lies there."""
        return ONE if self.left is None else max(Fraction(0), (self.left - lie) / (1 + self.left))


def tablebase_of(throw: Throw) -> Tablebase:
    """Return the tablebase of a cup with these dice. Cost: 50 ms for two dice."""
    chances = tuple(chances_of_hands(throw).values())
    answers: list[Facing] = []
    claims: list[_Claim] = []
    for standing in reversed(range(len(chances))):
        claims.insert(0, _Claim(-answers[0].value if answers else None))
        answers.insert(0, _answer(claims, chances[standing:]))
    return Tablebase(tuple(answers))


def _answer(claims: list[_Claim], chances: tuple[Fraction, ...]) -> Facing:
    """Return what is known where these claims may be made, lowest first, and thrown with these chances."""

    def mean(lie: Fraction) -> Fraction:
        best = accumulate([claim.worth(lie) for claim in claims], max, initial=lie)
        weights = (1 - sum(chances, Fraction(0)), *chances)
        return sum([weight * worth for weight, worth in zip(weights, best, strict=True)], Fraction(0))

    corners = sorted({-ONE, *(corner for corner in _corners(claims) if -1 <= corner <= 1)})
    lie = corners[_lowest(corners, mean)]
    return Facing(mean(lie), tuple([claim.doubt(lie) for claim in claims]))


def _corners(claims: list[_Claim]) -> Iterator[Fraction]:
    """Yield where two of the lines meet of which the mean is made, whether they are in force there or not."""
    open_claims = [claim for claim in claims if claim.left is not None]
    lines = [(claim.height, claim.slope) for claim in open_claims]
    levels = [claim.left for claim in open_claims if claim.left is not None]
    yield from levels
    for place, (height, slope) in enumerate(lines):
        yield height / (1 + slope)
        # Some throw beats every claim but the top, so nobody who is believed has won, and the line is not level.
        yield from ((height - level) / slope for level in levels)
        for other_height, other_slope in lines[:place]:
            if slope != other_slope:
                yield (height - other_height) / (slope - other_slope)


def _lowest(corners: list[Fraction], mean: Callable[[Fraction], Fraction]) -> int:
    """Return the place of a corner at which a convex function is least."""
    low, high = 0, len(corners) - 1
    while low < high:
        middle = (low + high) // 2
        if mean(corners[middle + 1]) < mean(corners[middle]):
            low = middle + 1
        else:
            high = middle
    return low
