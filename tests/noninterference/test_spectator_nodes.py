"""A node for spectators: it tells, and holds, the same whatever dice lie under the cups, and no secret at all."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import pytest

from tests.domain.swapped_dice import trees_kept
from tests.noninterference.canaries import text_of
from tests.noninterference.dice import Dice
from tests.noninterference.holdings import held_by
from tests.noninterference.house import ObservedHouse
from tests.noninterference.pairs import CASES, KINDS, compare, plans, play
from tests.noninterference.test_canaries import secrets_of
from tests.sizes import cases, is_long, spread

SPECTATORS: Final = partial(ObservedHouse, spectators=True)
SETS: Final = CASES if is_long() else spread(CASES, 2)[1:]
HOUSES: Final = range(cases(1, 4))


@pytest.mark.parametrize("seed", HOUSES)
def test_a_node_for_spectators_tells_and_holds_the_same_with_other_hidden_dice(seed: int) -> None:
    planned = [plan for kind in (KINDS if is_long() else KINDS[2:3]) for plan in plans(seed, SETS, kind)]
    with trees_kept():
        found = compare(seed, planned, 1, SPECTATORS)
    assert found.differences == []
    assert found.pairs.keys() > {"outsider", "host", "node"}


def test_a_node_for_spectators_has_no_secret_of_a_deal() -> None:
    house = SPECTATORS(7, Dice())
    tables = play(house, plans(7, [("liars_poker", 0)], "match"))
    canaries = secrets_of(house, tables)
    (held,) = [moment["node", "holds"] for moment in tables[0].moments if ("node", "holds") in moment]
    names = {name for name in canaries.found_in(text_of(held)) if "token" not in name}
    assert (names, any("deal" in name for name in canaries.names)) == (set(), True)
    dealer = text_of(held_by(house.nodes[0]))
    assert any("deal" in name for name in canaries.found_in(dealer)), "the node that deals holds them"


def test_what_a_program_holds_is_found_wherever_it_lies() -> None:
    class Node:
        life: Any = type("Life", (), {"tasks": set()})()

    def knows(dice: tuple[int, ...]) -> Any:
        return lambda: dice

    node: Any = Node()
    node.program = {"deep": [{"in": knows((1, 2, 3, 6))}], "also": bytearray(b"a secret")}
    assert held_by(node) >= {(1, 2, 3, 6), b"a secret"}
