"""Leaks planted in a house: the pairs find each of them, by its name, and nothing where there is none."""

from __future__ import annotations

from functools import partial

import pytest

from tests.noninterference.house import ObservedHouse
from tests.noninterference.pairs import compare, plans
from tests.noninterference.planted import LEAKS, Planted, finds, in_place
from tests.noninterference.planted_nodes import LEAKS as LEAKS_OF_NODES

TABLE = [("liars_poker", 0)]
SEED = 5
"""Of houses in which a seat whose dice stay as they are asks for what is refused, and looks at openings."""


def missed(*leaks: Planted) -> list[str]:
    """Return the names of those leaks that the pairs do not find where all of them are."""
    planned = [plan for kind in sorted({leak.kind for leak in leaks}) for plan in plans(SEED, TABLE, kind)]
    made = partial(ObservedHouse, spectators=leaks[0].spectators)
    with in_place(leaks):
        found = compare(SEED, planned, 1, made).differences
    return [leak.name for leak in leaks if not finds(leak, found)]


@pytest.mark.parametrize("leaks", [LEAKS, LEAKS_OF_NODES], ids=["one node", "one for spectators"])
def test_leaks_beside_each_other_are_each_found(leaks: tuple[Planted, ...]) -> None:
    assert missed(*leaks) == []


@pytest.mark.long
@pytest.mark.parametrize("leak", [*LEAKS, *LEAKS_OF_NODES], ids=lambda leak: leak.name)
def test_a_leak_is_found_where_there_is_no_other(leak: Planted) -> None:
    assert missed(leak) == []
