"""Tables that start at a time: with whoever has a seat by then, or not at all."""

from __future__ import annotations

from typing import Any

import pytest

from domain import commands, events
from domain.match.settings import TIME_MAX, is_known, rules_object, settings_of
from tests.domain.absence_tables import IDLE, audit, code_of, next_due, table, wait, wait_for_the_end
from tests.domain.playing import Played
from tests.domain.test_bad_options import named

STARTS_AT = 1_000_000 + 7 * 86_400_000
"""A week after these tables are opened."""


def waiting(*players: str, seats: int = 3) -> Played:
    played = table(seats, starts_at=STARTS_AT)
    for player in players:
        played.do(commands.Join(player, "server"))
    return played


def test_a_table_starts_at_its_time_with_whoever_has_a_seat() -> None:
    played = waiting("ada", "bob", "cyd")
    played.do(commands.Leave(2))
    assert next_due(played) == STARTS_AT
    assert code_of(played, commands.Advance(played.chance()), STARTS_AT - played.at - 1) == "wrong_phase"
    assert wait(played)[0] == events.Started((1, 3))
    wait_for_the_end(played)
    audit(played)


@pytest.mark.parametrize("players", [(), ("ada",), ("bot/bold/1", "bot/bold/2")])
def test_a_table_at_which_nobody_is_to_play_with_is_over_at_its_time_and_not_before(players: tuple[str, ...]) -> None:
    played = waiting(*players)
    assert next_due(played) == STARTS_AT
    assert wait(played) == [events.EndAsked("expired"), events.MatchEnded(None)]
    audit(played)


def test_its_host_may_start_a_table_before_its_time() -> None:
    played = waiting("ada", "bob")
    played.do(commands.Start(played.chance()))
    played.go_on()
    wait_for_the_end(played)
    audit(played)


def test_bots_that_are_left_alone_start_nothing() -> None:
    played = waiting("ada", "bot/bold/1", "bot/bold/2")
    played.do(commands.Leave(1))
    assert wait(played)[0] == events.EndAsked("expired")


@pytest.mark.parametrize(
    "said", [{"idle": None}, {"start": "full"}, {"starts_at": -1}, {"starts_at": TIME_MAX + 1}, {"starts_at": "1"}]
)
def test_a_time_that_cannot_be_meant_so_is_refused_by_its_name(said: dict[str, Any]) -> None:
    assert named("common_hand", {}, seats=3, **{"idle": IDLE, "starts_at": 1, **said}) == "starts_at"


def test_a_time_stands_in_the_rules_only_where_one_was_said() -> None:
    said = {"game": "common_hand", "options": {}, "idle": IDLE}
    assert "starts_at" not in rules_object(settings_of(said))
    rules = rules_object(settings_of({**said, "starts_at": STARTS_AT}))
    assert rules["starts_at"] == STARTS_AT
    assert is_known(rules)
