"""The same work whatever lies under the cups: the same functions are called as often, moment by moment."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from domain.games import GAMES
from tests.domain.swapped_dice import trees_kept
from tests.noninterference.course import Table
from tests.noninterference.dice import Dice
from tests.noninterference.pairs import plans, play, viewers
from tests.noninterference.sight import Seen
from tests.noninterference.work import CountedHouse

SEEDS = 8
"""Among so many courses of a game there is one with a hand that somebody knows and others do not."""


def warmed(planned: Any, dice: Dice) -> tuple[Table, list[bytes]]:
    """Return a table played for the second time with the same dice, and its lines; what is kept was kept the first."""
    play(CountedHouse(0, Dice(dice.masks)), planned)
    house = CountedHouse(0, dice)
    (table,) = play(house, planned)
    return table, house.lines_of(table.match)


def apart(one: Table, other: Table) -> Counter[str]:
    """Return of which functions there were more or fewer calls in one of two runs, and how many."""
    found = Counter[str]()
    for now, then in zip(one.moments, other.moments, strict=True):
        calls: Any = now["operator", "work"], then["operator", "work"]
        found += calls[0] - calls[1]
        found += calls[1] - calls[0]
    return found


def apart_in(game: str, seed: int) -> Counter[str] | None:
    """Return what is apart in a match of a seed and the same with other dice; None if it came to no other die."""
    planned, dice = plans(seed, [(game, 0)], "match"), Dice()
    with trees_kept():
        table, lines = warmed(planned, dice)
        seen = Seen(dice.keepers, lines)
        kept = viewers(table, seen, 0)
        if not seen.hidden_from(*kept):
            return None
        other = Dice(dict.fromkeys(seen.contexts, seen.mask(*kept, turn=1)))
        found = apart(table, warmed(planned, other)[0])
    return found if other.changed else None


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_the_same_functions_are_called_as_often_whatever_lies_under_the_cups(game: str) -> None:
    compared = (apart_in(game, seed) for seed in range(SEEDS))
    assert next((found for found in compared if found is not None), None) == {}
