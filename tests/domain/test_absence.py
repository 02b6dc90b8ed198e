"""People who stop: whatever a match waits for has a time, and nobody has to be kind for it to end."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from domain import commands, events
from domain.audit.replay import replay
from domain.errors import Refused
from domain.fairness.records import RecordLine
from domain.games import GAMES
from domain.match.dues import due_at, unattended_end_at, waits_since
from domain.match.settings import HOUSE_IDLE
from domain.table.interludes import cocked
from projections.view import view_of
from tests.domain.absence_tables import (
    IDLE,
    audit,
    claim,
    code_of,
    next_due,
    start,
    stopped,
    table,
    wait,
    wait_for_the_end,
)
from tests.domain.playing import Played
from tests.domain.test_ends_asked_for import seat_with_own_seeds
from tests.domain.test_every_game import OPTIONS

# ---- the law ------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_a_match_ends_in_whatever_phase_people_stop(game: str) -> None:
    for number in range(2 * len(OPTIONS[game])):
        played = stopped(game, number)
        wait_for_the_end(played)
        audit(played)


def test_a_lobby_in_which_nobody_comes_or_goes_expires() -> None:
    played = table()
    played.do(commands.Join("ada", "client"), 50_000)
    assert code_of(played, commands.Advance(played.chance()), 59_999) == "wrong_phase"
    assert wait(played) == [events.EndAsked("expired"), events.MatchEnded(None)]
    audit(played)


def test_a_match_without_the_rule_waits_for_ever_as_it_always_has() -> None:
    played = Played(seats=2)
    assert due_at(played.match) is None
    played.start()
    assert due_at(played.match) is None
    assert unattended_end_at(played.match) is None
    assert played.match.absence is None


def test_the_rule_of_the_house_stands_in_the_rules_object_in_full() -> None:
    played = table(idle=msgspec.to_builtins(HOUSE_IDLE))
    created = played.events[0]
    assert isinstance(created, events.MatchCreated)
    assert created.rules["idle"] == {
        "turn_ms": 180_000,
        "turns": 3,
        "seeds_ms": 60_000,
        "lobby_ms": 1_800_000,
        "bots_ms": 600_000,
    }
    (created,) = [event for event in Played().events if isinstance(event, events.MatchCreated)]
    assert "idle" not in created.rules


@pytest.mark.parametrize(("member", "value"), [("turn_ms", 999), ("turns", 0), ("lobby_ms", 0), ("more", 1)])
def test_a_rule_that_is_none_is_refused(member: str, value: int) -> None:
    with pytest.raises(Refused) as refused:
        table(idle={member: value})
    assert refused.value.code == "bad_options"


# ---- turns --------------------------------------------------------------------------------------


def test_the_table_acts_for_a_seat_that_lets_it_wait_and_says_so_once_a_turn() -> None:
    played = table()
    start(played, "ada", "bob", "cyd")
    began = played.at
    seat = played.turn
    assert due_at(played.match) == began + 5_000
    assert code_of(played, commands.Advance(played.chance()), 4_999) == "wrong_phase"
    timed, absent, bid, *_ = wait(played)
    assert (timed, absent) == (events.TimedOut(seat), events.Absent(seat, 1))
    assert isinstance(bid, events.Bid)
    assert played.absence.turns == {seat: 1}


def test_acting_within_a_turn_does_not_make_it_longer() -> None:
    played = table(2, "boss_liars", {"cocked": True, "stakes": "drinks"})
    start(played, "ada", "bob")
    state = played.table
    if state.phase == "choosing":
        played.do(commands.ChooseFirst(played.turn, played.turn))
        played.go_on()
    due, seat = due_at(played.match), played.turn
    for _ in range(3):
        played.do(cocked.Look(seat), 1_000)
    assert due_at(played.match) == due


def test_several_acts_of_the_table_in_one_turn_are_one_turn_missed() -> None:
    played = table(3, "finska")
    start(played, "ada", "bob", "cyd")
    happened = wait(played)
    while next_due(played) <= played.at:
        happened += wait(played)
    assert [each.turns for each in happened if isinstance(each, events.Absent)] == [1]
    assert sum(isinstance(each, events.TimedOut) for each in happened) > 1


def test_a_seat_that_stays_away_is_out_and_one_that_comes_back_is_not() -> None:
    played = table(3, options={"dice_per_player": 5})
    start(played, "ada", "bob", "cyd")
    gone = played.turn
    while gone not in played.table.out:
        if played.table.turn == gone:
            happened = wait(played)
        else:
            claim(played)
            happened = []
    assert events.Forfeited(gone, "absent") in happened
    assert events.Absent(gone, 2) in happened
    audit(played)


def test_a_seat_that_acts_again_has_returned() -> None:
    played = table(3)
    start(played, "ada", "bob", "cyd")
    seat = played.turn
    wait(played)
    while played.table.turn != seat:
        claim(played)
    made = claim(played)
    assert made[-1] == events.Returned(seat)
    assert played.absence.turns == {}
    assert view_of(played.written, None, None, {}).seats[seat - 1].absent == 0
    audit(played)


def test_with_a_clock_the_clock_says_when_and_the_rule_how_often() -> None:
    played = table(3, clock={"bank_ms": 1_000, "on_timeout": "act"})
    start(played, "ada", "bob", "cyd")
    began, seat = played.at, played.turn
    assert due_at(played.match) == began + 1_000
    assert events.Absent(seat, 1) in wait(played)
    wait_for_the_end(played)
    audit(played)


def test_where_the_clock_forfeits_the_first_turn_missed_is_the_last() -> None:
    played = table(3, clock={"bank_ms": 1_000, "on_timeout": "forfeit"})
    start(played, "ada", "bob", "cyd")
    seat = played.turn
    assert events.Forfeited(seat, "forfeit") in wait(played)
    audit(played)


def restless() -> Played:
    """Return a match at which a seat came and went all through its turn, until the table acted for it."""
    played = table(host={}, idle={**IDLE, "turn_ms": 100_000}, options={"dice_per_player": 5})
    start(played, "ada", "bob", "cyd")
    seat, since = played.turn, played.at
    for command in 3 * (commands.StandIn(seat), commands.TakeBack(seat)):
        played.do(command, 25_000)
    assert events.TimedOut(seat) in wait(played)
    assert played.at < since + 200_000
    wait_for_the_end(played)
    return played


def test_a_seat_that_comes_and_goes_keeps_nobody_waiting_for_ever() -> None:
    audit(restless())


# ---- nobody wins by absence ---------------------------------------------------------------------


def leave(played: Played, *seats: int) -> None:
    for seat in seats:
        played.do(commands.Forfeit(seat))


def others(played: Played) -> list[int]:
    return [seat for seat in played.table.remaining if seat != played.table.turn]


def test_who_never_acts_wins_nothing_when_the_others_leave() -> None:
    played = table(3)
    start(played, "ada", "bob", "cyd")
    leave(played, *others(played))
    assert played.match.ended
    assert played.table.winner is None
    assert events.SessionClosed() in played.events
    audit(played)


def test_who_is_marked_absent_wins_nothing_when_the_others_leave() -> None:
    played = table(3)
    start(played, "ada", "bob", "cyd")
    claim(played)
    absent = played.turn
    wait(played)
    leave(played, *(seat for seat in (1, 2, 3) if seat != absent))
    assert (played.match.ended, played.table.winner) == (True, None)
    audit(played)


def test_who_is_there_wins_when_the_others_leave() -> None:
    played = table(2)
    start(played, "ada", "bob")
    first = played.turn
    claim(played)
    claim(played)
    second = 3 - first
    played.do(commands.Forfeit(second))
    assert played.table.winner == first
    assert events.Won(first) in played.events
    audit(played)


def test_who_is_there_wins_when_the_table_puts_the_absent_out() -> None:
    played = table(2, options={"dice_per_player": 5}, idle={**IDLE, "turns": 1})
    start(played, "ada", "bob")
    claim(played)
    there = 3 - played.turn
    wait(played)
    assert played.table.winner == there
    audit(played)


def test_of_two_who_stay_away_neither_wins() -> None:
    played = table(2, options={"dice_per_player": 5})
    start(played, "ada", "bob")
    wait_for_the_end(played)
    assert played.table.winner is None
    audit(played)


def test_who_leaves_because_of_the_absent_does_not_pay_for_the_drinks() -> None:
    played = table(3, "boss_liars", {"stakes": "drinks"})
    start(played, "ada", "bob", "cyd")
    if played.table.phase == "choosing":
        played.do(commands.ChooseFirst(played.turn, played.turn))
        played.go_on()
    absent = played.turn
    wait(played)
    played.do(commands.Forfeit(next(seat for seat in (1, 2, 3) if seat != absent)))
    assert not any(isinstance(event, events.Lost) for event in played.events)
    assert played.match.ended
    assert view_of(played.written, None, None, {}).closed, "neither won nor lost"
    audit(played)


def test_the_absent_pay_for_the_drinks() -> None:
    played = table(3, "boss_liars", {"stakes": "drinks"}, idle={**IDLE, "turns": 1})
    start(played, "ada", "bob", "cyd")
    absent = played.turn
    wait(played)
    assert events.Lost(absent) in played.events
    assert not view_of(played.written, None, None, {}).closed
    audit(played)


# ---- lies ---------------------------------------------------------------------------------------


def documents(played: Played) -> list[dict[str, Any]]:
    wait_for_the_end(played)
    return [msgspec.json.decode(line) for line in played.lines]


def line_found(lines: list[dict[str, Any]]) -> int | None:
    return replay([RecordLine(n, one["type"], one["data"], one["at"]) for n, one in enumerate(lines, start=1)]).line


def line_of(lines: list[dict[str, Any]], kind: str) -> int:
    return next(number for number, line in enumerate(lines) if line["type"] == kind)


def test_a_record_in_which_the_table_acted_too_early_is_found() -> None:
    played = table(3)
    start(played, "ada", "bob", "cyd")
    lines = documents(played)
    at = line_of(lines, "game.timed_out")
    for line in lines[at:]:
        line["at"] -= 1
    assert line_found(lines) == at + 1


def test_a_record_in_which_bots_were_stopped_while_a_person_played_is_found() -> None:
    played = table(3, "liars_poker")
    start(played, "bot/bold/1", "ada", "bot/bold/3")
    played.do(commands.EndMatch())
    lines = documents(played)
    at = line_of(lines, "game.end_asked")
    lines[at]["data"]["why"] = "unattended"
    assert line_found(lines) == at + 1


def test_a_record_in_which_a_lobby_expired_too_early_is_found() -> None:
    played = table()
    lines = documents(played)
    lines[1]["at"] = lines[2]["at"] = lines[1]["at"] - 1
    assert line_found(lines) == 2


def test_a_record_that_lets_the_absent_win_is_found() -> None:
    played = table(2)
    start(played, "ada", "bob")
    absent = played.turn
    leave(played, 3 - absent)
    lines = documents(played)
    at = line_of(lines, "game.session_closed")
    lines[at] |= {"type": "game.won", "data": {"seat": absent}}
    assert line_found(lines) == at + 1


@pytest.mark.parametrize("kind", ["game.absent", "game.returned"])
def test_a_record_that_keeps_silent_about_an_absence_is_found(kind: str) -> None:
    played = table(3)
    start(played, "ada", "bob", "cyd")
    seat = played.turn
    wait(played)
    while played.absence.turns:
        claim(played)
    assert events.Returned(seat) in played.events
    lines = documents(played)
    at = line_of(lines, kind)
    del lines[at]
    assert line_found(lines) == at + 1


# ---- since when -----------------------------------------------------------------------------------


def test_a_lobby_waits_since_somebody_came_or_went_unless_a_time_was_named() -> None:
    played = table()
    played.do(commands.Join("ada", "server"), 50_000)
    assert waits_since(played.match) == played.at
    assert waits_since(Played(seats=2).match) == Played(seats=2).at
    assert waits_since(table(starts_at=played.at + 1_000_000).match) is None


def test_a_table_waits_since_its_turn_began_and_for_seeds_since_their_deal() -> None:
    played = table()
    start(played, "ada", "bob", "cyd")
    assert waits_since(played.match) == played.absence.turn_since
    waiting = table(2)
    seat_with_own_seeds(waiting)
    assert waits_since(waiting.match) == waiting.ceremony.since


def test_nothing_waits_for_people_whose_time_the_log_keeps_or_while_the_table_deals() -> None:
    timed, bare = table(clock={"bank_ms": 60_000}), Played(seats=2)
    start(timed, "ada", "bob", "cyd")
    bare.start()
    between = table(pause_ms=60_000, options={"dice_per_player": 5})
    start(between, "ada", "bob", "cyd")
    claim(between)
    between.do(commands.Challenge(between.turn))
    assert [waits_since(played.match) for played in (timed, bare, between)] == [None, None, None]


def test_a_pause_waits_since_it_began_unless_seeds_are_due_before_its_end() -> None:
    played, waiting = table(host={}), table(2, host={})
    start(played, "ada", "bob", "cyd")
    played.do(commands.PauseTable("break"), 1_000)
    assert waits_since(played.match) == played.at
    seat_with_own_seeds(waiting)
    waiting.do(commands.PauseTable("break"), 1_000)
    assert waits_since(waiting.match) == waiting.ceremony.since < waiting.at
