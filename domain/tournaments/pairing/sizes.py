"""Sizes of tables: how many tables of how many seats a field is split into, and how many entrants rest.

Of all ways to split a field into tables of `min` to `max`: the fewest byes; then the least sum of (size - preferred)²;
then the fewest tables of the largest size, then of the next, and so on.

Source: the laws of tournaments, `pods/1`, sizes.
"""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta, Struct

SEATS_MIN: Final = 2
SEATS_MAX: Final = 8
Seats = Annotated[int, Meta(ge=SEATS_MIN, le=SEATS_MAX)]
"""How many sit at a table."""

_COUNT_BITS: Final = 24
"""How wide a count of tables is written: far beyond any field."""


class TableSizes(Struct, frozen=True, forbid_unknown_fields=True):
    """What tables should seat, and what they may: 2 <= min <= preferred <= max <= 8."""

    preferred: Seats
    min: Seats
    max: Seats


class Split(Struct, frozen=True):
    """How a field is split: how many rest, and the size of each table, the largest first.

    Sizes differ by one at most: of two that differed by more, two between them would be nearer to any size preferred.
    """

    byes: int
    sizes: tuple[int, ...]


def split(entrants: int, wanted: TableSizes) -> Split:
    """Return how many entrants rest, and how the others are split into tables.

    Cost: a step for each entrant and each size.
    """
    best = _tables(entrants, wanted)
    seated = next(count for count in range(entrants, -1, -1) if best[count] is not None)
    sizes: list[int] = []
    left = seated
    while left:
        sizes.append(best[left] or 0)
        left -= sizes[-1]
    return Split(entrants - seated, tuple(sorted(sizes, reverse=True)))


def _tables(entrants: int, wanted: TableSizes) -> list[int | None]:
    """Return by count of entrants a table of their best split; None where none seats them all, 0 where nobody is."""
    # A split is worth one number, first by distance from what is preferred, then by tables of each size from the
    # largest down: sums over tables compare as the law does, so the best split of a part is part of the best.
    bits = _COUNT_BITS * (wanted.max - wanted.min + 1)
    worth = {
        size: ((size - wanted.preferred) ** 2 << bits) + (1 << _COUNT_BITS * (size - wanted.min))
        for size in range(wanted.min, wanted.max + 1)
    }
    costs: list[int | None] = [0]
    tables: list[int | None] = [0]
    for count in range(1, entrants + 1):
        ways = [
            (before + worth[size], size)
            for size in worth
            if size <= count and (before := costs[count - size]) is not None
        ]
        cost, size = min(ways, default=(None, None))
        costs.append(cost)
        tables.append(size)
    return tables
