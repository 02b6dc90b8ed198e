"""Pauses between rounds: they end early once everybody who plays has asked for the next round, and never later."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from domain import commands, events
from domain.match.dues import continue_awaited
from domain.match.settings import rules_object, settings_of
from projections.around import ContinueView
from projections.view import view_of
from tests.domain import test_lies
from tests.domain.absence_tables import audit, claim, code_of, next_due, start, table, wait, wait_for_the_end
from tests.domain.playing import Played
from tests.domain.test_lies import Record, first

PAUSE_MS = 4_000


def looked_at(*players: str, **rules: Any) -> Played:
    """Return a table at which these people look at the dice of the first round."""
    played = table(len(players), **{"pause_ms": PAUSE_MS, "pause_ends": "all", "host": {}, **rules})
    start(played, *players)
    claim(played)
    played.do(commands.Challenge(played.turn))
    assert played.table.phase == "between_rounds"
    return played


def test_the_next_round_begins_once_everybody_has_asked_for_it() -> None:
    played = looked_at("ada", "bob")
    due = next_due(played)
    assert played.do(commands.Continue(2)).events == (events.Continued(2),)
    assert (continue_awaited(played.match), next_due(played)) == ((1,), due)
    played.do(commands.Continue(1))
    assert next_due(played) == played.at < due
    assert any(isinstance(event, events.RoundOpened) for event in wait(played))
    assert played.match.continued == ()
    audit(played)


def test_one_person_beside_bots_goes_on_alone() -> None:
    played = looked_at("ada", "bot/bold/1", "bot/bold/2")
    assert continue_awaited(played.match) == (1,)
    assert code_of(played, commands.Continue(2)) == "stood_in"
    played.do(commands.Continue(1))
    assert next_due(played) == played.at
    wait(played)
    audit(played)


def test_nobody_waits_for_who_goes_away_meanwhile() -> None:
    played = looked_at("ada", "bob", "cyd")
    played.do(commands.Continue(1))
    played.do(commands.StandIn(2))
    assert continue_awaited(played.match) == (3,)
    played.do(commands.StandIn(3))
    assert (continue_awaited(played.match), next_due(played)) == ((), played.at)
    wait(played)
    audit(played)


def test_nobody_waits_for_who_was_marked_absent() -> None:
    played = looked_at("ada", "bob")
    while played.table.phase != "between_rounds" or 1 not in played.absence.turns:
        if played.table.phase == "between_rounds":
            played.go_on()
        elif played.turn == 1:
            played.do(commands.Advance(played.chance()), next_due(played) - played.at)
        elif played.table.round.standing is None:
            claim(played)
        else:
            played.do(commands.Challenge(2))
    assert continue_awaited(played.match) == (2,)
    # Whoever was away may say so as well, and is away until the next act in a turn of the own.
    played.do(commands.Continue(1))
    assert 1 in played.absence.turns
    played.do(commands.Continue(2))
    assert next_due(played) == played.at
    audit(played)


def test_who_looks_on_looks_until_the_pause_is_over_and_no_longer() -> None:
    played = looked_at("ada", "bob")
    due = next_due(played)
    played.do(commands.Continue(1))
    assert code_of(played, commands.Continue(1)) == "already_continued"
    assert code_of(played, commands.Advance(played.chance())) == "wrong_phase"
    assert code_of(played, commands.Continue(2), due - played.at) == "wrong_phase"
    wait(played)
    assert played.at == due
    audit(played)


def test_only_who_plays_continues_and_only_between_rounds() -> None:
    played = looked_at("ada", "bob", "cyd")
    assert code_of(played, commands.Continue(9)) == "unknown_player"
    played.do(commands.Forfeit(3))
    assert code_of(played, commands.Continue(3)) == "eliminated"
    played.do(commands.PauseTable("break"))
    assert (code_of(played, commands.Continue(1)), continue_awaited(played.match)) == ("paused", None)
    played.do(commands.ResumeTable(), 60_000)
    assert continue_awaited(played.match) == (1, 2)
    wait(played)
    assert code_of(played, commands.Continue(1)) == "wrong_phase"
    assert code_of(table(pause_ends="all"), commands.Continue(1)) == "unknown_player"
    wait_for_the_end(played)
    audit(played)


def test_without_the_member_and_without_a_pause_there_is_nothing_to_continue() -> None:
    played = looked_at("ada", "bob", pause_ends=None)
    assert (code_of(played, commands.Continue(1)), continue_awaited(played.match)) == ("not_allowed", None)
    assert continue_awaited(looked_at("ada", "bob", pause_ms=0).match) is None
    assert continue_awaited(looked_at("ada", "bob", idle=None).match) == (1, 2)
    assert "pause_ends" not in rules_object(settings_of({"game": "common_hand", "options": {}}))


def test_everybody_sees_who_has_continued_and_whom_the_table_waits_for() -> None:
    played = looked_at("ada", "bob")
    played.do(commands.Continue(2))
    for viewer in (None, 1, 2):
        assert view_of(played.written, viewer, None, {}).continues == ContinueView(by=(2,), awaits=(1,))
    wait(played)
    assert view_of(played.written, 1, None, {}).continues is None


@pytest.mark.parametrize(("member", "value"), [("seat", 1), ("seat", 3), ("seat", 9)], ids=["twice", "a bot", "nobody"])
def test_a_lie_about_who_continued_is_found(member: str, value: int) -> None:
    played = looked_at("ada", "bob", "bot/bold/1")
    played.do(commands.Continue(1))
    played.do(commands.Continue(2))
    played.go_on()
    wait_for_the_end(played)
    record: Record = [msgspec.json.decode(line) for line in played.lines]
    said = first(record, "game.continued", 1)
    assert test_lies.judged(record).line is None
    record[said]["data"][member] = value
    assert test_lies.judged(record).line == said + 1


def test_a_round_that_opens_before_everybody_has_continued_is_found() -> None:
    played = looked_at("ada", "bob")
    played.do(commands.Continue(1))
    played.do(commands.Continue(2))
    played.go_on()
    wait_for_the_end(played)
    record: Record = [msgspec.json.decode(line) for line in played.lines]
    said = first(record, "game.continued")
    del record[said]
    for at in range(said, len(record)):
        record[at]["seq"] = at
    found = test_lies.judged(record)
    assert record[found.line - 1 if found.line else 0]["type"] in {"cup.rolled", "game.round_opened"}
