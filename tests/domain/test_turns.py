"""Turns: what is written beside the game moves none of them, a pause moves their time, and each has one beginning."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import commands, events
from domain.errors import Refused
from domain.match.evolve import is_halted
from domain.match.record import fold
from domain.table.interludes.cocked import Look
from tests.domain.absence_tables import claim, start
from tests.domain.playing import Played
from tests.domain.test_host_powers import CLOCK, QUIET, hosted, power

KEY, OTHER = "11" * 32, "22" * 32


def keyed() -> Played:
    """Return a table in play at which the first seat has a key."""
    played = hosted(clock=CLOCK)
    played.do(commands.Join("ada", "server", key=KEY))
    start(played, "bob", "cyd")
    return played


def test_a_turn_begins_with_the_append_by_which_it_came_to_it() -> None:
    played = keyed()
    assert (played.match.begun.version, played.match.begun.at) == (played.match.version, played.at)
    claim(played)
    assert isinstance(played.events[-1], events.ClockSet)
    assert (played.match.begun.version, played.match.begun.at) == (played.match.version, played.at)


def test_no_line_beside_the_game_moves_a_turn() -> None:
    played = keyed()
    begun = played.match.begun
    for command in (
        commands.NameKey(1, OTHER),
        commands.Rekey(1, OTHER),
        commands.GiveTime(2, 1_000, "other"),
        commands.HandOver(2),
        commands.GiveBack(100),
        commands.EndMatch(None),
    ):
        played.do(command)
        assert played.match.begun == begun
    claim(played)
    assert played.match.begun.version == played.match.version


def test_a_look_is_of_the_turn_of_whoever_looks_and_of_no_other() -> None:
    played = hosted(game="boss_liars", options={"cocked": True, "first": "high_roll"})
    start(played, "ada", "bob", "cyd")
    begun = played.match.begun
    for seat in {1, 2, 3} - {played.turn}:
        played.do(Look(seat))
        assert played.match.begun == begun
    played.do(Look(played.turn))
    assert played.match.begun.version == played.match.version


def test_a_pause_moves_the_time_of_a_turn_by_as_long_as_it_lasts() -> None:
    played = keyed()
    begun = played.match.begun
    for held_ms in (1, 5_000):
        before = played.match.begun
        played.do(commands.PauseTable("break"), 700)
        played.do(commands.ResumeTable(), held_ms)
        assert played.match.begun.version == begun.version
        assert played.match.begun.at == before.at + held_ms


def test_a_turn_that_comes_in_a_pause_begins_when_that_is_over() -> None:
    played = hosted()
    start(played, "ada", "bob", "cyd")
    played.do(commands.PauseTable("trouble"))
    played.do(commands.Forfeit(played.turn), 50_000)
    played.do(commands.ResumeTable(), 50_000)
    played.go_on()
    assert played.match.begun.at == played.at


def test_whoever_stands_in_for_the_seat_in_turn_decides_anew_and_nobody_else_does() -> None:
    played = hosted()
    start(played, "ada", "bob", "cyd")
    begun, others = played.match.begun, sorted({1, 2, 3} - {played.turn})
    played.do(commands.StandIn(others[0]))
    played.do(commands.TakeBack(others[0]))
    assert played.match.begun == begun
    played.do(commands.StandIn(played.turn))
    assert played.match.begun.version == played.match.version


@pytest.mark.parametrize("seed", range(3))
@QUIET
@given(draws=st.integers(0, 2**32))
def test_a_turn_begins_anew_only_where_the_game_or_who_plays_has_moved(seed: int, draws: int) -> None:
    drawn, played = random.Random(f"{seed} {draws}"), hosted(clock=CLOCK)
    start(played, "ada", "bob", "cyd")
    for _ in range(40):
        before = played.match
        try:
            played.do(power(played, drawn), drawn.randint(1, 3_000))
        except Refused:
            continue
        after = played.match
        moves = before.table is not after.table or is_halted(before) or is_halted(after)
        lends = after.table is None or after.table.turn is None or before.seated != after.seated
        assert after.begun.version == before.begun.version or moves or lends
        assert before.begun.at <= after.begun.at <= after.at
        if after.ended:
            break
    *_, (written, _) = fold(played.lines)
    assert written.match.begun == played.match.begun
