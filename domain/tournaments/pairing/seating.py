"""Seating: the order of seats at a table, the first opens; and the numbers of tables, of which 1 is the top.

At each table the order that is least by, in turn:

    1. with three and more seats, the sum of w(times b has sat next after a), for each next seat b around the table,
       since the next seat is the one who answers a claim;
    2. the sum of (B + y)², where y = 420 (2x - (k - 1)) / (k - 1) is what place x = 0 .. k - 1 of k weighs (-420 opens,
       420 answers last), and B the sum of all y so far of whoever sits there;
    3. lot ranks, read from the first seat.

Source: the laws of tournaments, `pods/1`, seats; w(x) = x (x + 1) / 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct

OPENS: Final = -420
"""What the first place weighs; 420 is divided by one less than any number of seats."""
ROUND_OF: Final = 3
"""From how many seats on it matters who sits next."""
_SEATS: Final = 840
"""What every number of seats divides."""


class SeatingCost(Struct, frozen=True):
    """What an order costs: by who sits next to whom again, and by who opens how often."""

    again: int
    balance: int


class SeatLaw(Struct, frozen=True):
    """What an order at a table looks at.

    Attributes:
        after: How often b has sat next after a, by (a, b).
        balance: By entrant, the sum of what their places weighed.
        ranks: By entrant, the place in lot order.
    """

    after: Mapping[tuple[int, int], int]
    balance: Mapping[int, int]
    ranks: Mapping[int, int]

    def cost(self, order: Sequence[int]) -> SeatingCost:
        """Return what an order of seats costs."""
        again = 0
        if len(order) >= ROUND_OF:
            again = sum(self._again(a, b) for a, b in zip(order, (*order[1:], order[0]), strict=True))
        weighed = zip(order, places(len(order)), strict=True)
        return SeatingCost(again, sum((self.balance[number] + y) ** 2 for number, y in weighed))

    def order(self, members: Iterable[int]) -> tuple[int, ...]:
        """Return the seats of a table of two or more, in order.

        Cost: a sort; where that seats somebody next after the same again, a step for each set of members, each that
        sits before it, and each that may follow: 20,000 at most.
        """
        # Squares of sums are least where the higher balance takes the lower place.
        plain = tuple(sorted(members, key=lambda number: (-self.balance[number], self.ranks[number])))
        return plain if self.cost(plain).again == 0 else self._least(sorted(plain, key=self.ranks.__getitem__))

    def _again(self, a: int, b: int) -> int:
        return triangle(self.after.get((a, b), 0))

    def _least(self, members: list[int]) -> tuple[int, ...]:
        """Return the least order of members by lot rank, where it matters who sits next."""
        weights = places(len(members))
        # Both sums in one number: the second is below the first's unit in any order.
        unit = sum((abs(self.balance[number]) - OPENS) ** 2 for number in members) + 1
        again = [[unit * self._again(a, b) for b in members] for a in members]
        balance = [[(self.balance[number] + y) ** 2 for y in weights] for number in members]
        ways = [_round_from(first, again, balance) for first in range(len(members))]
        return tuple(members[at] for at in min(ways)[1])


def _round_from(first: int, again: list[list[int]], balance: list[list[int]]) -> tuple[int, tuple[int, ...]]:
    """Return the least cost of orders that begin with a member, and of those the first."""
    whole = (1 << len(again)) - 1
    known: dict[tuple[int, int], tuple[int, tuple[int, ...]]] = {}

    def rest(seated: int, last: int) -> tuple[int, tuple[int, ...]]:
        """Return what the seats still free cost at least, and who takes them."""
        if seated == whole:
            return again[last][first], ()
        if (seated, last) not in known:
            place = seated.bit_count()
            ways = []
            for member in range(len(again)):
                if not seated >> member & 1:
                    cost, others = rest(seated | 1 << member, member)
                    ways.append((cost + again[last][member] + balance[member][place], (member, *others)))
            known[seated, last] = min(ways)
        return known[seated, last]

    cost, others = rest(1 << first, first)
    return cost + balance[first][0], (first, *others)


def places(seats: int) -> list[int]:
    """Return what each place at a table of two or more weighs, from the one that opens."""
    return [-OPENS * (2 * place - (seats - 1)) // (seats - 1) for place in range(seats)]


def triangle(times: int) -> int:
    """Return w: what a number of times weighs, the next one always more than the one before."""
    return times * (times + 1) // 2


def by_table_number(
    tables: Iterable[tuple[int, ...]], strengths: Mapping[int, int], ranks: Mapping[int, int]
) -> list[tuple[int, ...]]:
    """Return tables in the order of their numbers: by mean strength, the highest first, then by the lowest lot."""
    return sorted(
        tables,
        key=lambda table: (
            -sum(strengths[number] for number in table) * _SEATS // len(table),
            min(ranks[number] for number in table),
        ),
    )
