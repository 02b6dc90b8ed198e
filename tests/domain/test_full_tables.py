"""Tables that start by themselves once their last seat is taken."""

from __future__ import annotations

import pytest

from domain import commands, events
from domain.match.dues import due_at
from domain.match.settings import rules_object, settings_of
from tests.domain.absence_tables import audit, code_of, next_due, table, wait, wait_for_the_end
from tests.domain.playing import Played


def waiting(*players: str, seats: int = 2) -> Played:
    played = table(seats, start="full")
    for player in players:
        played.do(commands.Join(player, "server"))
    return played


def test_a_table_starts_by_itself_once_its_last_seat_is_taken() -> None:
    played = waiting("ada", "bob")
    assert next_due(played) == played.at
    assert wait(played)[0] == events.Started((1, 2))
    wait_for_the_end(played)
    audit(played)


def test_a_table_that_lost_somebody_before_it_started_waits_on() -> None:
    played = waiting("ada", "bob", seats=3)
    assert next_due(played) == played.at + 60_000
    played.do(commands.Join("cyd", "server"))
    played.do(commands.Leave(2))
    assert code_of(played, commands.Advance(played.chance())) == "wrong_phase"
    assert next_due(played) == played.at + 60_000
    played.do(commands.Start(played.chance()))
    assert not played.match.ended


def test_bots_alone_at_a_full_table_wait_for_their_host() -> None:
    played = waiting("bot/bold/1", "bot/bold/2")
    assert next_due(played) == played.at + 60_000


def test_a_table_whose_rules_say_nothing_of_it_waits_for_its_host() -> None:
    played = table(2)
    for player in ("ada", "bob"):
        played.do(commands.Join(player, "server"))
    assert due_at(played.match) == played.at + 60_000


@pytest.mark.parametrize("start", ["full", None])
def test_that_a_full_table_starts_stands_in_the_rules_only_where_it_does(start: str | None) -> None:
    rules = rules_object(settings_of({"game": "common_hand", "options": {}, "start": start}))
    assert rules.get("start") == start
    assert ("start" in rules) == (start is not None)
