"""Leaks planted in a house: the pairs find each of them, by its name, and nothing where there is none."""

from __future__ import annotations

from functools import partial

import pytest

from tests.noninterference.house import ObservedHouse
from tests.noninterference.pairs import compare, plans
from tests.noninterference.planted import LEAKS, Planted, finds, in_place
from tests.noninterference.planted_nodes import LEAKS as LEAKS_OF_NODES

TABLE = [("liars_poker", 0)]
SEEDS = range(2, 10)
"""Of houses, tried until all is found: each draws whose dice change, and who asks for what is refused."""


def missed(*leaks: Planted) -> list[str]:
    """Return the names of those leaks that the pairs do not find where all of them are."""
    made, left = partial(ObservedHouse, spectators=leaks[0].spectators), list(leaks)
    for seed in SEEDS:
        planned = [plan for kind in sorted({leak.kind for leak in leaks}) for plan in plans(seed, TABLE, kind)]
        with in_place(leaks):
            found = compare(seed, planned, 1, made).differences
        left = [leak for leak in left if not finds(leak, found)]
        if not left:
            break
    return [leak.name for leak in left]


@pytest.mark.parametrize("leaks", [LEAKS, LEAKS_OF_NODES], ids=["one node", "one for spectators"])
def test_leaks_beside_each_other_are_each_found(leaks: tuple[Planted, ...]) -> None:
    assert missed(*leaks) == []


@pytest.mark.long
@pytest.mark.parametrize("leak", [*LEAKS, *LEAKS_OF_NODES], ids=lambda leak: leak.name)
def test_a_leak_is_found_where_there_is_no_other(leak: Planted) -> None:
    assert missed(leak) == []
