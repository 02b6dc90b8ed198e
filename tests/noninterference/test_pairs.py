"""Whole houses in which other dice lie under the cups: nobody who may not know them can tell, by anything at all."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from domain.games import GAMES
from tests.domain.swapped_dice import trees_kept
from tests.ledgers import append
from tests.noninterference import __main__ as command
from tests.noninterference import ledger
from tests.noninterference.course import Plan
from tests.noninterference.dice import Dice
from tests.noninterference.house import ObservedHouse
from tests.noninterference.pairs import CASES, KINDS, Found, compare, plans, play
from tests.sizes import cases, is_long, spread

HOUSES = range(cases(1, 30))
SETS = spread(CASES, 5)
OBSERVERS = {
    "outsider",
    "caster",
    "host",
    "passer-by",
    "bus",
    "operator",
    "clock",
    "director",
    "entrant",
    "rival",
    "hooked",
}


def planned_for(seed: int) -> list[Plan]:
    """Return what is played in the houses of a seed, as many of it of each kind."""
    kinds = [KINDS[(number + seed - 1) % len(KINDS)] for number in range(len(KINDS))]
    return [plan for number, kind in enumerate(kinds) for plan in plans(seed, SETS[number :: len(KINDS)], kind)]


@cache
def compared(seed: int) -> Found:
    """Return what a house of a seed and those with other dice have told, compared once for all tests."""
    with trees_kept():
        return compare(seed, planned_for(seed), cases(1, 4))


@pytest.mark.parametrize("seed", HOUSES)
def test_nobody_can_tell_other_hidden_dice_from_those_that_were_dealt(seed: int) -> None:
    found = compared(seed)
    assert found.differences == []
    assert found.pairs.keys() > OBSERVERS


def test_dice_of_every_game_were_hidden_in_some_house() -> None:
    """In one house alone a game may show all it has: its matches are short, and few see what others do not."""
    hid = {game for seed in HOUSES for game, times in compared(seed).games.items() if times}
    assert hid >= (GAMES.keys() if is_long() else {"common_hand"})


def test_two_houses_of_one_seed_do_the_same_to_the_last_step() -> None:
    planned = plans(1, [("common_hand", 0)])
    (one,), (two,) = (play(ObservedHouse(1, Dice()), planned) for _ in range(2))
    assert one.moments == two.moments
    assert len(one.moments) > 3


def test_the_command_counts_what_it_compared(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert command.main(["3", "1", "--game", "stud_liars", "--times", "1"]) == 0
    row = capsys.readouterr().out
    append(row, tmp_path / "ledger.md")
    assert (tmp_path / "ledger.md").read_text(encoding="utf-8") == row
    assert "3 to 3" in row
    columns = ledger.LEDGER.read_text(encoding="utf-8").split("\n|---")[0].rpartition("\n")[2].count("|")
    assert row.count("|") == columns
