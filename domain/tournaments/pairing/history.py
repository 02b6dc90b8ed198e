"""The history that a pairing looks at: who has met, who sat next after whom, and what places weighed, from tables.

Whoever was absent is left out, and leaves no trace: places and next seats are those among the present, and a table
where fewer than two were present was not played.

Source: the laws of tournaments, `pods/1`, history.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import combinations

from msgspec import Struct

from domain.tournaments.pairing.seating import places


class PlayedTable(Struct, frozen=True):
    """A table that was played: its seats in order, who was absent, and whether its round had a larger one."""

    seats: tuple[int, ...]
    absent: frozenset[int]
    is_small: bool


class TableHistory(Struct, frozen=True):
    """What tables have left.

    Attributes:
        met: By (i, j), i < j, at how many tables both have played.
        after: By (a, b), at how many tables b has sat next after a.
        balance: By entrant, the sum of what places weighed; whoever never played is not in it.
        small: By entrant, how many tables were smaller than the largest of their round.
    """

    met: Mapping[tuple[int, int], int]
    after: Mapping[tuple[int, int], int]
    balance: Mapping[int, int]
    small: Mapping[int, int]

    def meetings(self, among: Collection[int]) -> tuple[tuple[int, int, int], ...]:
        """Return (i, j, times) of those who have met, both among these, ascending."""
        return _ascending(self.met, among)

    def neighbours(self, among: Collection[int]) -> tuple[tuple[int, int, int], ...]:
        """Return (a, b, times) of those who sat next after another, both among these, ascending."""
        return _ascending(self.after, among)


def history_of(tables: Iterable[PlayedTable]) -> TableHistory:
    """Return what tables have left, in whichever order they were played."""
    met: Counter[tuple[int, int]] = Counter()
    after: Counter[tuple[int, int]] = Counter()
    balance: Counter[int] = Counter()
    small: Counter[int] = Counter()
    for table in tables:
        present = [number for number in table.seats if number not in table.absent]
        if len(present) < 2:  # noqa: PLR2004  nobody plays alone
            continue
        met.update(combinations(sorted(present), 2))
        after.update(zip(present, (*present[1:], present[0]), strict=True))
        balance.update(dict(zip(present, places(len(present)), strict=True)))
        small.update(present if table.is_small else ())
    return TableHistory(met, after, balance, small)


def _ascending(pairs: Mapping[tuple[int, int], int], among: Collection[int]) -> tuple[tuple[int, int, int], ...]:
    return tuple((i, j, pairs[i, j]) for i, j in sorted(pairs) if i in among and j in among)
