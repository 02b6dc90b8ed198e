"""The optimum of a small field: of its cheapest groupings the first in canonical order.

Canonical order: members by lot rank, ascending; tables by their first member; table by table the longer first, then the
lower ranks. So lots, and nothing else, break symmetry.

It is worked out backwards over sets of entrants who are still to be seated: the first of them by lot chooses mates.
At table t the first t by lot sit already, and as sizes differ by one at most, a set says by how many it has
which sizes are left: 16 entrants come to a million steps at the most, for tables of 6, 5 and 5.

Source: the laws of tournaments, `pods/1`, up to 16 entrants; dynamic programming over subsets (Held and Karp, 1962).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

from domain.tournaments.pairing.pods.costs import PairCosts

EXACT_MAX: Final = 16
"""Up to how many at free tables the optimum is the law."""


def cheapest(costs: PairCosts, sizes: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the cheapest grouping into tables of these sizes, as indices, in canonical order.

    Args:
        costs: What seating costs; of 16 entrants at most.
        sizes: The size of each table, which differ by one at most; they seat everybody.
    """
    if not sizes:
        return []
    by_lot = sorted(range(len(costs.numbers)), key=costs.ranks.__getitem__)
    tables = _table_costs(costs, by_lot, sizes)
    layers = _layers(tables, len(by_lot), sizes)
    return [tuple(by_lot[at] for at in table) for table in _first(tables, layers, len(by_lot), sizes)]


def _table_costs(costs: PairCosts, by_lot: Sequence[int], sizes: Sequence[int]) -> dict[int, int]:
    """Return what each table that there could be costs, by its members as bits of which the lowest lot is bit 0."""
    return {
        sum(1 << at for at in table): costs.table_cost([by_lot[at] for at in table], is_small=size < sizes[0])
        for size in set(sizes)
        for table in combinations(range(len(by_lot)), size)
    }


def _layers(tables: Mapping[int, int], entrants: int, sizes: Sequence[int]) -> list[dict[int, int]]:
    """Return for each count of full tables the least cost of seating the rest, by the rest as bits."""
    layers: list[dict[int, int]] = [{0: 0}]
    for full in range(len(sizes) - 1, -1, -1):
        unseated = [1 << at for at in range(full, entrants)]
        layers.append(
            {
                sum(rest): min(_least(tables, layers[-1], rest, size) for size in _open_sizes(full, count, sizes))
                for count in _counts(full, sizes)
                for rest in combinations(unseated, count)
            }
        )
    return layers[::-1]


def _least(tables: Mapping[int, int], after: Mapping[int, int], rest: Sequence[int], size: int) -> int:
    """Return the least cost of seating the rest, their first at a table of this size."""
    first, *others = rest
    left = sum(others)
    return min([tables[first + mates] + after[left - mates] for mates in map(sum, combinations(others, size - 1))])


def _counts(full: int, sizes: Sequence[int]) -> range:
    """Return how many may be unseated when this many tables are full, whichever those are."""
    return range(sum(sizes[full:]), sum(sizes[: len(sizes) - full]) + 1)


def _open_sizes(full: int, unseated: int, sizes: Sequence[int]) -> list[int]:
    """Return which sizes are left where this many tables are full and this many entrants unseated, the larger first."""
    tables = len(sizes) - full
    larger = unseated - tables * sizes[-1]
    return [size for size, count in ((sizes[0], larger), (sizes[-1], tables - larger)) if count > 0]


def _first(
    tables: Mapping[int, int], layers: Sequence[Mapping[int, int]], entrants: int, sizes: Sequence[int]
) -> Iterator[tuple[int, ...]]:
    """Yield the tables of the first of the cheapest groupings, members as places in lot order."""
    rest = [1 << at for at in range(entrants)]
    for full in range(len(sizes)):
        least = layers[full][sum(rest)]
        choices = (
            (rest[0], *mates)
            for size in _open_sizes(full, len(rest), sizes)
            for mates in combinations(rest[1:], size - 1)
        )
        table = next(
            table for table in choices if tables[sum(table)] + layers[full + 1][sum(rest) - sum(table)] == least
        )
        yield tuple(bit.bit_length() - 1 for bit in table)
        rest = [bit for bit in rest if bit not in table]
