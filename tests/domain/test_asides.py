"""Lines beside the game: each seat has room for so many, the host for as many, and nobody takes another's."""

from __future__ import annotations

from typing import Any

import pytest

from domain import commands
from domain.errors import Refused
from domain.match.settings import HOUSE_RULES, rules_object, settings_of
from domain.table.interludes.cocked import Look
from projections.view import view_of
from tests.domain.absence_tables import audit, claim, code_of, start
from tests.domain.playing import Played
from tests.domain.test_host_powers import hosted

MOST = 3


def keys(first: int) -> list[str]:
    return [f"{number:064x}" for number in range(first, first + MOST + 1)]


def keyed(**rules: Any) -> Played:
    """Return a table in play at which the first seat has a key."""
    played = hosted(3, **{"asides": MOST, **rules})
    played.do(commands.Join("ada", "server", key="11" * 32))
    start(played, "bob", "cyd")
    return played


def test_a_seat_changes_its_key_so_often_and_a_host_names_one_as_often() -> None:
    played = keyed()
    *some, last = keys(1)
    for key in some:
        played.do(commands.NameKey(1, key))
    assert code_of(played, commands.NameKey(1, last)) == "no_asides_left"
    for key in some:
        played.do(commands.Rekey(1, key))
    assert code_of(played, commands.Rekey(1, last)) == "no_asides_left"
    claim(played)


def test_pauses_are_lines_of_the_host_like_keys_that_are_named() -> None:
    played = keyed()
    played.do(commands.NameKey(1, "22" * 32))
    for _ in range(MOST - 1):
        played.do(commands.PauseTable("break"))
        played.do(commands.ResumeTable())
    assert code_of(played, commands.PauseTable("break")) == "no_asides_left"
    hosting = view_of(played.written, None, None, {}).hosting
    assert hosting is not None
    assert "pause" not in hosting.table
    claim(played)


def test_a_look_counts_once_the_dice_are_known() -> None:
    played = hosted(game="boss_liars", options={"cocked": True, "first": "high_roll"}, asides=MOST)
    start(played, "ada", "bob", "cyd")
    for seat in (1, 2, 3):
        for _ in range(MOST + 1):
            played.do(Look(seat))
        assert code_of(played, Look(seat)) == "no_asides_left"
    assert played.match.asides == {1: MOST, 2: MOST, 3: MOST}
    audit(played)


def test_matches_that_say_nothing_of_it_have_no_bound() -> None:
    played = keyed(asides=None)
    for number in range(1, 300):
        played.do(commands.NameKey(1, f"{number:064x}"))
        played.do(commands.PauseTable("break"))
        played.do(commands.ResumeTable())
    assert "asides" not in rules_object(played.match.settings)


def test_a_house_has_the_bound() -> None:
    rules = rules_object(settings_of({"game": "common_hand", "options": {}, **HOUSE_RULES, "idle": None, "host": None}))
    assert rules["asides"] == HOUSE_RULES["asides"]


@pytest.mark.parametrize("asides", [0, -1, 10_001, True, 2.5])
def test_a_bound_is_a_number_above_nothing(asides: object) -> None:
    with pytest.raises(Refused, match="option of the rules"):
        settings_of({"game": "common_hand", "options": {}, "asides": asides})
