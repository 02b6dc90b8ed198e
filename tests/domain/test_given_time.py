"""Time that a host gives: to whom, how much, and that it comes out of what the host may hold the table up for."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from domain import commands, events
from tests.domain import test_lies
from tests.domain.absence_tables import audit, claim, code_of, next_due, start, wait_for_the_end
from tests.domain.playing import Played
from tests.domain.test_host_powers import CLOCK, hosted
from tests.domain.test_lies import Record, first


def begun(**rules: Any) -> Played:
    played = hosted(**{"clock": CLOCK, **rules})
    start(played, "ada", "bob", "cyd")
    return played


def banks(played: Played) -> dict[int, int]:
    assert played.match.clocks is not None
    return played.match.clocks.banks


def test_who_is_in_turn_has_the_time_at_once_and_once() -> None:
    played = begun()
    seat, due = played.turn, next_due(played)
    assert played.do(commands.GiveTime(seat, 30_000, "trouble"), 1_000).events == (
        events.TimeGiven(seat, 30_000, "trouble"),
    )
    assert next_due(played) == due + 30_000
    claim(played)
    assert banks(played)[seat] == 60_000 + 30_000 - 1_010 + 5_000
    audit(played)


def test_who_is_not_in_turn_has_it_in_the_bank_and_no_clock_stops() -> None:
    played = begun()
    seat, due = played.turn % 3 + 1, next_due(played)
    played.do(commands.GiveTime(seat, 30_000, "asked"))
    assert (next_due(played), banks(played)[seat]) == (due, 90_000)
    wait_for_the_end(played)
    audit(played)


def test_time_given_and_pauses_come_out_of_one_account() -> None:
    played = begun(host={"hold_ms": 60_000})
    played.do(commands.GiveTime(1, 40_000, "other"))
    assert code_of(played, commands.GiveTime(1, 20_001, "other")) == "no_hold_left"
    played.do(commands.PauseTable("break"))
    assert next_due(played) == played.at + 20_000
    assert code_of(played, commands.GiveTime(1, 1_000, "other")) == "paused"
    played.do(commands.ResumeTable(), 20_000)
    assert code_of(played, commands.GiveTime(1, 1_000, "other")) == "no_hold_left"
    audit(played)


@pytest.mark.parametrize("ms", [-60_000, 0, 999, 600_001, 2**63 - 1])
def test_time_is_given_between_a_second_and_ten_minutes(ms: int) -> None:
    assert code_of(begun(), commands.GiveTime(1, ms, "other")) == "bad_time"


def test_time_is_given_where_clocks_are_and_to_who_plays() -> None:
    assert code_of(begun(clock=None), commands.GiveTime(1, 1_000, "other")) == "not_allowed"
    assert code_of(hosted(clock=CLOCK), commands.GiveTime(1, 1_000, "other")) == "wrong_phase"
    played = begun()
    played.do(commands.Forfeit(3))
    assert code_of(played, commands.GiveTime(3, 1_000, "other")) == "eliminated"
    assert code_of(played, commands.GiveTime(9, 1_000, "other")) == "unknown_player"


def test_a_clock_that_goes_on_with_other_time_than_was_given_is_found() -> None:
    played = begun()
    played.do(commands.GiveTime(played.turn, 30_000, "trouble"))
    claim(played)
    wait_for_the_end(played)
    truth: Record = [msgspec.json.decode(line) for line in played.lines]
    assert test_lies.judged(truth).line is None
    lie, at = test_lies.changed(truth, first(truth, "game.time_given"), ms=31_000)
    assert test_lies.judged(lie).line == at + 2, "after the bid the clock stops with a second too little"
    lie, at = test_lies.changed(truth, first(truth, "game.time_given"), ms=10)
    assert test_lies.judged(lie).line == at
