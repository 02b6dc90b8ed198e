"""Company: whether somebody does better at tables where another sits than at those where it does not.

The mean of the points of j at tables with i, less the mean of those at tables without. Under chance alone i sat where
any entrant of the same score may have sat, round by round; so i is at the table of j as often as those are.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm, prod

from msgspec import Struct

from domain.statistics.screening.nulls import Null, ScreeningLots, null_of

STATISTIC = 2
"""The number of this statistic in draws."""


class RoundBeside(Struct, frozen=True):
    """A round in which somebody sat at a table, as it looks to another.

    Attributes:
        points: What it gave, in units.
        together: Whether the other sat there.
        among: How many may have sat where the other sat: those of its score at other seats; 1 where it had no table.
        there: How many of these sat at this table.
    """

    points: int
    together: bool
    among: int = 1
    there: int = 0


class Company(Struct, frozen=True):
    """All rounds in which somebody sat at a table, as they look to another, and how many units a point has."""

    meetings: tuple[RoundBeside, ...]
    unit: int

    @property
    def helped(self) -> Fraction:
        """How much better somebody does with the other; 0 where it was always there, or never."""
        beside = sum(each.together for each in self.meetings)
        there = sum(each.points for each in self.meetings if each.together)
        return self._difference(beside, there)

    def null(self, one: int, other: int, lots: ScreeningLots, most: int) -> Null:
        """Return what chance alone makes of how much better `other`, whose these are, does with `one`."""
        draws = lots.draws(STATISTIC, one, other, prod(each.among for each in self.meetings))
        rounds, whole = len(self.meetings), sum(each.points for each in self.meetings)
        # With b of n rounds together, and t points there of w, the difference is (t n - w b) / (b (n - b)).
        scale = lcm(*(beside * (rounds - beside) for beside in range(1, rounds)))
        worth = [0, *(scale // (beside * (rounds - beside)) for beside in range(1, rounds)), 0]
        rows = [(each.points, each.among, each.there) for each in self.meetings]

        def difference(drawn: int) -> int:
            beside = there = 0
            for points, among, seats in rows:
                drawn, which = divmod(drawn, among)
                if which < seats:
                    beside, there = beside + 1, there + points
            return (there * rounds - whole * beside) * worth[beside]

        return null_of(difference, int(self.helped * self.unit * scale), self.unit * scale, draws, most)

    def _difference(self, beside: int, there: int) -> Fraction:
        rounds, whole = len(self.meetings), sum(each.points for each in self.meetings)
        if beside in {0, rounds}:
            return Fraction(0)
        return Fraction(there * rounds - whole * beside, beside * (rounds - beside) * self.unit)
