"""Leaks planted in a house: the pairs find each of them, by its name, and nothing where there is none."""

from __future__ import annotations

import pytest

from tests.noninterference.pairs import compare, plans
from tests.noninterference.planted import LEAKS, Planted, finds, in_place

TABLE = [("liars_poker", 0)]


def test_leaks_beside_each_other_are_each_found() -> None:
    with in_place(LEAKS):
        found = compare(
            3, [plan for kind in sorted({leak.kind for leak in LEAKS}) for plan in plans(3, TABLE, kind)], 1
        ).differences
    assert [leak.name for leak in LEAKS if not finds(leak, found)] == []


@pytest.mark.long
@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.name)
def test_a_leak_is_found_where_there_is_no_other(leak: Planted) -> None:
    with in_place((leak,)):
        assert finds(leak, compare(3, plans(3, TABLE, leak.kind), 1).differences)
