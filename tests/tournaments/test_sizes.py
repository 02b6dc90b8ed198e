"""Tables have the sizes that are nearest to what is preferred, and nobody rests who need not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.tournaments.pairing.sizes import TableSizes, split
from tests.tournaments.fields import table_sizes


def partitions(count: int, largest: int, smallest: int) -> Iterator[list[int]]:
    """Yield all ways to split a count into parts, the largest first."""
    if count == 0:
        yield []
    for size in range(min(largest, count), smallest - 1, -1):
        for rest in partitions(count - size, size, smallest):
            yield [size, *rest]


@given(st.integers(0, 30), table_sizes())
def test_a_split_is_the_first_of_all_splits(entrants: int, wanted: TableSizes) -> None:
    def worth(sizes: list[int]) -> tuple[int, int, list[int]]:
        byes = entrants - sum(sizes)
        spread = sum((size - wanted.preferred) ** 2 for size in sizes)
        return byes, spread, [sizes.count(size) for size in range(wanted.max, wanted.min - 1, -1)]

    every = [sizes for seated in range(entrants + 1) for sizes in partitions(seated, wanted.max, wanted.min)]
    found = split(entrants, wanted)
    best = min(every, key=worth)
    assert (found.byes, list(found.sizes)) == (entrants - sum(best), best)


@pytest.mark.parametrize("entrants", [999, 1000, 4095, 4096])
@pytest.mark.parametrize("wanted", [TableSizes(4, 3, 4), TableSizes(2, 2, 8), TableSizes(8, 7, 8), TableSizes(6, 2, 6)])
def test_a_large_field_is_seated_whole_at_tables_that_differ_by_one_at_most(entrants, wanted) -> None:
    found = split(entrants, wanted)
    assert (found.byes, sum(found.sizes)) == (0, entrants)
    assert max(found.sizes) - min(found.sizes) <= 1
