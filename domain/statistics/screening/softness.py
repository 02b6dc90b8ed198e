"""Softness: whether somebody spares the claims of another, compared with how the same somebody treats such claims.

Over the decisions of i on claims of j: the sum of [challenged] less the mean of [challenged] over all decisions of i of
the same class, which is a fifth of the chance that the claim had and how many were still in. It is below 0 where i
spares j.

Under chance alone it does not matter whose claims they were. So at each table what i did about the claims of each
opponent goes to an opponent by lot, in all classes at once: most claims that i decides on at a table are those of one
neighbour, in every class, and how i treats them there hangs together. With a lot for each class the null is too narrow:
of 1,080 honest tests 1.0 % came below 0.005, with twenty classes in place of five 1.1 %, and with a lot a table 0.4 %.

All numbers of an entrant are counted in units, of which one has as many as make every mean a whole number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import lcm, prod
from typing import NamedTuple

from msgspec import Struct

from domain.statistics.screening.nulls import Null, ScreeningLots, null_of

STATISTIC = 1
"""The number of this statistic in draws."""


class Faced(NamedTuple):
    """A decision as it counts for whoever made it.

    Attributes:
        match: The match, among all of the entrant's.
        kind: The class: the fifth of the chance, and how many were in.
        claimant: The number of the claimant.
        challenged: Whether the claim was challenged.
    """

    match: int
    kind: tuple[int, int]
    claimant: int
    challenged: bool


class Softness(Struct, frozen=True):
    """How somebody treats claims.

    Attributes:
        unit: How many units are one.
        cells: For each match the opponents there, and beside each the sum of what was done about its claims less the
            means of their classes, in units.
    """

    unit: int
    cells: tuple[dict[int, int], ...]

    def towards(self, other: int) -> Fraction:
        """Return the statistic of another: below 0 where its claims are spared."""
        return Fraction(sum(cell.get(other, 0) for cell in self.cells), self.unit)

    def null(self, one: int, other: int, lots: ScreeningLots, most: int) -> Null:
        """Return what chance alone makes of how `one`, whose this is, spares another: the statistic turned round."""
        rows = [tuple(-units for units in cell.values()) for cell in self.cells if other in cell and any(cell.values())]
        draws = lots.draws(STATISTIC, one, other, prod(map(len, rows)))
        seen = -int(self.towards(other) * self.unit)
        return null_of(lambda drawn: _sum_of(rows, drawn), seen, self.unit, draws, most)


def _sum_of(rows: Iterable[Sequence[int]], drawn: int) -> int:
    total = 0
    for row in rows:
        drawn, which = divmod(drawn, len(row))
        total += row[which]
    return total


def softness_of(faced: Sequence[Faced], opponents: Mapping[int, Sequence[int]]) -> Softness:
    """Return how somebody treats claims, of all the decisions there were.

    Args:
        faced: The decisions.
        opponents: Who else sat there, by match.
    """
    met: dict[tuple[int, int], list[bool]] = {}
    for each in faced:
        met.setdefault(each.kind, []).append(each.challenged)
    unit = lcm(*map(len, met.values()))
    mean = {kind: sum(done) * unit // len(done) for kind, done in met.items()}
    cells: dict[int, dict[int, int]] = {}
    for each in faced:
        cell = cells.setdefault(each.match, dict.fromkeys(opponents[each.match], 0))
        cell[each.claimant] += each.challenged * unit - mean[each.kind]
    return Softness(unit, tuple(cells.values()))
