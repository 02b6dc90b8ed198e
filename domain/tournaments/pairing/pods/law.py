"""A pairing by `pods/1`: who rests, who sits with whom, in which seat and at which table, and what it costs.

Source: the laws of tournaments, `pods/1`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct

from domain.tournaments.pairing.lots import Lots
from domain.tournaments.pairing.pods.bounds import bound_of
from domain.tournaments.pairing.pods.costs import PairCosts, costs_of, strengths_of
from domain.tournaments.pairing.pods.inputs import PairingInput, free_numbers
from domain.tournaments.pairing.pods.optimum import EXACT_MAX, cheapest
from domain.tournaments.pairing.pods.search import search
from domain.tournaments.pairing.seating import SeatLaw, by_table_number
from domain.tournaments.pairing.sizes import TableSizes, split
from domain.tournaments.points import points_of

ENGINE: Final = "pods/1"
Method = Literal["exact", "search"]
Tables = tuple[tuple[int, ...], ...]


class CannotPair(ValueError):  # noqa: N818 - says what cannot be done
    """The cheapest grouping has pairs that may not meet, or no table can be filled.

    Attributes:
        pairs: These pairs, ascending.
        sizes: What tables seat, where too few are left for any.
        entrants: Who is left then, ascending.
    """

    def __init__(
        self, pairs: Sequence[tuple[int, int]], sizes: TableSizes | None = None, entrants: Sequence[int] = ()
    ) -> None:
        super().__init__(f"these may not meet, and would: {', '.join(f'{i} and {j}' for i, j in pairs)}")
        self.pairs = tuple(pairs)
        self.sizes = sizes
        self.entrants = tuple(entrants)


class Pods(Struct, frozen=True):
    """A round as it is paired.

    Attributes:
        method: Whether the grouping is the optimum, or what the search found.
        byes: Who rests.
        sizes: The sizes of the free tables, the largest first.
        tables: All tables, fixed ones among them, by their numbers; members in seat order, the first opens.
        cost: What the free tables cost.
        bound: What no grouping costs less than.
        repeats: How many pairs at one free table had met.
        seating: What the orders at all tables cost: who sits next to whom again, and who opens how often.
    """

    method: Method
    byes: tuple[int, ...]
    sizes: tuple[int, ...]
    tables: Tables
    cost: int
    bound: int
    repeats: int
    seating: tuple[int, int]


class PodsRound(Struct, frozen=True):
    """A round before anybody is grouped: what is the same for every grouping of it.

    Attributes:
        value: What it is paired from.
        lots: Its lots.
        ranks: By entrant, the place in lot order.
        strengths: By entrant, the score in sixtieths of a first place.
        byes: Who rests.
        sizes: The sizes of the free tables, the largest first.
        costs: What seating costs among the others.
        seats: What an order of seats looks at.
    """

    value: PairingInput
    lots: Lots
    ranks: dict[int, int]
    strengths: dict[int, int]
    byes: tuple[int, ...]
    sizes: tuple[int, ...]
    costs: PairCosts
    seats: SeatLaw

    @property
    def method(self) -> Method:
        """How the grouping is found."""
        return "exact" if len(self.costs.numbers) <= EXACT_MAX else "search"

    def groups(self) -> list[frozenset[int]]:
        """Return who sits with whom at free tables, as the law has it, whether they may meet or not."""
        if self.method == "exact":
            found = cheapest(self.costs, self.sizes)
        else:
            found = search(self.costs, self.sizes, self.lots.kick)
        return [frozenset(self.costs.numbers[index] for index in table) for table in found]

    def cost(self, tables: Iterable[Collection[int]]) -> int:
        """Return what free tables cost."""
        index = {number: at for at, number in enumerate(self.costs.numbers)}
        return self.costs.cost([[index[number] for number in table] for table in tables])

    def bound(self) -> int:
        """Return what no grouping costs less than."""
        return bound_of(self.costs, self.sizes)

    def repeats(self, tables: Iterable[Collection[int]]) -> int:
        """Return how many pairs at these tables had met."""
        return len(_at_one_table(((i, j) for i, j, _ in self.value.met), tables))

    def forbidden(self, tables: Iterable[Collection[int]]) -> list[tuple[int, int]]:
        """Return which pairs at these tables may not meet."""
        return _at_one_table(self.value.forbidden, tables)

    def seating(self, tables: Iterable[Sequence[int]]) -> tuple[int, int]:
        """Return what the orders of seats at tables cost, summed."""
        costs = [self.seats.cost(table) for table in tables]
        return sum(cost.again for cost in costs), sum(cost.balance for cost in costs)

    def seated(self, groups: Iterable[Collection[int]]) -> Tables:
        """Return all tables by their numbers, members in seat order."""
        tables = [self.seats.order(group) for group in (*groups, *self.value.fixed)]
        return tuple(by_table_number(tables, self.strengths, self.ranks))


def round_of(value: PairingInput, lots: Lots) -> PodsRound:
    """Return a round before anybody is grouped."""
    ranks = lots.ranks(entrant.n for entrant in value.players)
    strengths = strengths_of(value)
    free = free_numbers(value)
    parts = split(len(free), value.sizes)
    byes = _byes(value, free, ranks, parts.byes)
    costs = costs_of(value, set(free).difference(byes), strengths, ranks)
    after = {(a, b): times for a, b, times in value.after}
    balance = {entrant.n: entrant.balance for entrant in value.players}
    return PodsRound(value, lots, ranks, strengths, byes, parts.sizes, costs, SeatLaw(after, balance, ranks))


def pair(value: PairingInput, lots: Lots) -> Pods:
    """Return how a round is paired.

    Cost: up to 16 entrants a million steps at the most; above, quadratic in entrants.

    Raises:
        CannotPair: The cheapest grouping has pairs that may not meet.
    """
    found = round_of(value, lots)
    groups = found.groups()
    forbidden = found.forbidden(groups)
    if forbidden:
        raise CannotPair(forbidden)
    tables = found.seated(groups)
    return Pods(
        method=found.method,
        byes=found.byes,
        sizes=found.sizes,
        tables=tables,
        cost=found.cost(groups),
        bound=found.bound(),
        repeats=found.repeats(groups),
        seating=found.seating(tables),
    )


def _byes(value: PairingInput, free: Iterable[int], ranks: Mapping[int, int], count: int) -> tuple[int, ...]:
    """Return who rests, ascending: of the fewest byes so far, then of the lowest score, then by lot."""
    entrants = {entrant.n: entrant for entrant in value.players}
    turns = sorted(free, key=lambda n: (entrants[n].byes, points_of(entrants[n].score), ranks[n]))
    return tuple(sorted(turns[:count]))


def _at_one_table(pairs: Iterable[tuple[int, int]], tables: Iterable[Collection[int]]) -> list[tuple[int, int]]:
    table_of = {number: at for at, table in enumerate(tables) for number in table}
    return [(i, j) for i, j in pairs if i in table_of and table_of[i] == table_of.get(j)]
