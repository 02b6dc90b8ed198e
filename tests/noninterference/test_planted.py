"""Leaks planted in a house: the pairs find each of them, by its name, and nothing where there is none."""

from __future__ import annotations

import pytest

from tests.noninterference.pairs import compare, plans
from tests.noninterference.planted import LEAKS, Planted, finds, in_place

TABLE = [("liars_poker", 0)]
SEED = 2
"""Of houses in which a seat whose dice stay as they are asks for what is refused, and looks at openings."""


def test_leaks_beside_each_other_are_each_found() -> None:
    planned = [plan for kind in sorted({leak.kind for leak in LEAKS}) for plan in plans(SEED, TABLE, kind)]
    with in_place(LEAKS):
        found = compare(SEED, planned, 1).differences
    assert [leak.name for leak in LEAKS if not finds(leak, found)] == []


@pytest.mark.long
@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.name)
def test_a_leak_is_found_where_there_is_no_other(leak: Planted) -> None:
    with in_place((leak,)):
        assert finds(leak, compare(SEED, plans(SEED, TABLE, leak.kind), 1).differences)
