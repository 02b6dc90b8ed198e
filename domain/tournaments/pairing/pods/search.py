"""The search of a large field: a cheap grouping, found in steps that everybody repeats.

    1. Entrants by strength, the highest first, then by lot, fill the tables in the order of sizes. Members of a table
       are kept in this order.
    2. descend(dirty): the members of dirty tables, listed once before the pass, in order: of all exchanges with a
       member of another table at most 8 tables away the one that lowers the cost most, then the one with the first in
       order, is made if it lowers the cost at all. Tables that it touched are dirty in the next pass, until none is.
       At first all tables are dirty.
    3. Once through all entrants: whoever sits with a pair that costs anything besides score does the same over all
       tables; after each exchange both tables descend.
    4. With more than two tables T, kicks h = kick(k), k = 0 .. 511: span = min(T - 1, 4); a = u32(h[0..3]) mod T;
       b = (a + 1 + h[4] mod span) mod T; d = (a + 1 + h[5] mod span) mod T; nothing if b = d. x, y, z are the members
       h[6], h[7], h[8] mod size of a, b, d; x moves to b, y to d, z to a; the three tables descend. If the grouping is
       dearer than before the kick, all is put back.

Source: the laws of tournaments, `pods/1`, above 16 entrants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from operator import itemgetter
from typing import Final

from domain.tournaments.pairing.pods.costs import PairCosts

REACH: Final = 8
"""How many tables away an exchange looks."""
KICKS: Final = 512
SPAN: Final = 4
"""How many tables away a kick goes."""


def search(costs: PairCosts, sizes: Sequence[int], kick: Callable[[int], bytes]) -> list[tuple[int, ...]]:
    """Return the grouping into tables of these sizes that the search finds, as indices.

    Args:
        costs: What seating costs.
        sizes: The size of each table, the largest first; they seat everybody.
        kick: By its number from 0, the 32 bytes of a kick.

    Cost: quadratic in entrants where many have met or share a club, else linear beside the table of costs.
    """
    grouping = _Grouping(costs, sizes)
    if len(sizes) > 1:
        grouping.descend(range(len(sizes)))
        grouping.part()
    for count in range(KICKS if len(sizes) > 2 else 0):  # noqa: PLR2004  three tables exchange in a ring
        grouping.kick(kick(count))
    return [tuple(table) for table in grouping.tables]


class _Grouping:
    """Tables as they change, with what every seat costs, so that an exchange is weighed without adding up tables."""

    def __init__(self, costs: PairCosts, sizes: Sequence[int]) -> None:
        self.costs = costs
        self.is_small = [size < sizes[0] for size in sizes]
        self.fees = costs.fees if any(costs.fees) else None
        self.table_of = [0] * len(costs.numbers)
        self.dear = [0] * len(costs.numbers)
        """By index what the pairs of an entrant cost at their table."""
        self.tables: list[list[int]] = [[] for _ in sizes]
        self.replaced: dict[int, list[int]] = {}
        """Tables as they were before a kick."""
        first = 0
        for table, size in enumerate(sizes):
            self._seat(table, range(first, first + size))
            first += size

    def descend(self, dirty: Iterable[int]) -> None:
        """Exchange with tables nearby, from these tables on, until no exchange lowers the cost."""
        while dirty:
            touched: set[int] = set()
            for index in sorted(chain.from_iterable([self.tables[table] for table in dirty])):
                touched.update(self._improve(index, REACH))
            dirty = touched

    def part(self) -> None:
        """Let those who sit with somebody they had better not look for an exchange anywhere."""
        for index in range(len(self.table_of)):
            if not all(self.costs.is_score_alone(index, mate) for mate in self.tables[self.table_of[index]]):
                self.descend(self._improve(index, len(self.tables)))

    def kick(self, chance: bytes) -> None:
        """Move three entrants in a ring, descend, and put all back if that made it dearer."""
        count = len(self.tables)
        span = min(count - 1, SPAN)
        first = int.from_bytes(chance[:4], "big") % count
        ring = (first, *((first + 1 + byte % span) % count for byte in chance[4:6]))
        if ring[1] == ring[2]:
            return
        self.replaced = {}
        movers = [
            self.tables[table][byte % len(self.tables[table])] for table, byte in zip(ring, chance[6:9], strict=True)
        ]
        for table, leaver, comer in zip(ring, movers, (movers[2], *movers[:2]), strict=True):
            self._replace(table, leaver, comer)
        self.descend(set(ring))
        now = [(self.tables[table], self.is_small[table]) for table in self.replaced]
        before = [(members, self.is_small[table]) for table, members in self.replaced.items()]
        if self._cost(now) > self._cost(before):
            for table, members in self.replaced.items():
                self._seat(table, members)

    def _cost(self, tables: list[tuple[list[int], bool]]) -> int:
        return sum(self.costs.table_cost(table, is_small=is_small) for table, is_small in tables)

    def _improve(self, index: int, reach: int) -> tuple[int, ...]:
        """Make the exchange of an entrant within reach that lowers the cost most; return the tables it touched."""
        table = self.table_of[index]
        nearby = range(max(table - reach, 0), min(table + reach + 1, len(self.tables)))
        others = [other for other in nearby if other != table]
        indices = list(chain.from_iterable([self.tables[other] for other in others]))
        pick = itemgetter(*indices)
        rows = self.costs.pairs
        mine = pick(rows[index])
        # After an exchange of i and j each pays for the other's mates: all of them, less the other, paid for twice.
        theirs = map(sum, zip(*[pick(rows[mate]) for mate in self.tables[table]], strict=True))
        columns = zip(self._joins(index, others, mine), theirs, mine, pick(self.dear), strict=True)
        changes = [join + their - 2 * both - dear for join, their, both, dear in columns]
        best = min(changes)
        if best >= self.dear[index]:
            return ()
        other = min(found for change, found in zip(changes, indices, strict=True) if change == best)
        touched = self.table_of[other]
        self._replace(table, index, other)
        self._replace(touched, other, index)
        return (table, touched)

    def _joins(self, index: int, others: list[int], mine: Sequence[int]) -> list[int]:
        """Return by candidate what an entrant would pay at that table, and what small tables cost more by it."""
        joins: list[int] = []
        is_small = self.is_small[self.table_of[index]]
        for other in others:
            members = self.tables[other]
            cost = sum(mine[len(joins) : len(joins) + len(members)])
            if self.fees is None or self.is_small[other] == is_small:
                joins += [cost] * len(members)
            else:
                sign = 1 if is_small else -1
                joins += [cost + sign * (self.fees[member] - self.fees[index]) for member in members]
        return joins

    def _replace(self, table: int, leaver: int, comer: int) -> None:
        members = self.tables[table]
        self.replaced.setdefault(table, members)
        self._seat(table, sorted(comer if member == leaver else member for member in members))

    def _seat(self, table: int, members: Iterable[int]) -> None:
        self.tables[table] = seated = list(members)
        for member in seated:
            self.table_of[member] = table
            row = self.costs.pairs[member]
            self.dear[member] = sum([row[mate] for mate in seated])
