"""Host powers: whatever a host does, every match ends, is replayed and audited, and nobody wins by it."""

from __future__ import annotations

import random
from typing import Any, Final

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain import commands, events
from domain.errors import Refused
from domain.games import GAMES
from domain.match.ceremony import CEREMONY_MS
from domain.match.record import fold
from projections.view import PauseView, view_of
from tests.domain import test_lies
from tests.domain.absence_tables import audit, claim, code_of, next_due, start, table, wait, wait_for_the_end
from tests.domain.playing import Played
from tests.domain.test_ends_asked_for import fix_seed, open_seed, seat_with_own_seeds
from tests.domain.test_every_game import SESSION, STEPS_MAX, begun, judged, step
from tests.domain.test_lies import Record, first
from tests.sizes import cases

QUIET: Final = settings(suppress_health_check=list(HealthCheck), max_examples=cases(2, 60))
POWERS: Final[dict[str, Any]] = {"host": {}}
"""What gives a match the powers of the house."""


def hosted(seats: int = 3, **rules: Any) -> Played:
    return table(seats, **{**POWERS, "options": {"dice_per_player": 5}, **rules})


def power(played: Played, drawn: random.Random) -> commands.PowerCommand:
    """Return something that a host asks for, allowed or not."""
    who = drawn.randint(1, played.match.settings.seats + 1)
    if played.match.paused is not None and drawn.random() < 0.5:
        return commands.ResumeTable()
    return drawn.choice((commands.Kick(who, "away"), commands.PauseTable("break"), commands.ResumeTable()))


def use(played: Played, drawn: random.Random) -> None:
    """Let the host do something; a refusal changes nothing."""
    before = played.match
    try:
        played.do(power(played, drawn))
    except Refused:
        assert played.match is before
    else:
        played.go_on()


@pytest.mark.parametrize("game", GAMES)
@QUIET
@given(number=st.integers(0, 2**32))
def test_with_powers_thrown_in_at_random_every_match_ends_replays_and_audits(game: str, number: int) -> None:
    drawn = random.Random(number)
    clock = drawn.choice((None, {"bank_ms": 60_000, "increment_ms": 100}))
    played = begun(game, drawn, clock=clock, **POWERS)
    for steps in range(STEPS_MAX):
        if played.match.ended:
            break
        if played.match.paused is not None and drawn.random() < 0.2:
            wait(played)
        elif played.match.paused is not None or drawn.random() < 0.1:
            use(played, drawn)
        else:
            step(played, drawn, closing=steps > SESSION)
    assert played.match.ended
    for (written, event), decided, happened in zip(fold(played.lines), played.steps, played.events, strict=True):
        assert (written.match, event) == (decided, happened)
    assert (ruled := judged(played)).line is None, ruled


def test_without_the_member_a_host_has_no_powers() -> None:
    played = table()
    start(played, "ada", "bob", "cyd")
    assert code_of(played, commands.Kick(2, "away")) == "not_allowed"


# ---- kicks --------------------------------------------------------------------------------------


def test_a_seat_kicked_in_the_lobby_is_free_again() -> None:
    played = hosted()
    played.do(commands.Join("ada", "server"))
    played.do(commands.Join("bob", "server"))
    made = played.do(commands.Kick(1, "conduct"))
    assert made.events == (events.Kicked(1, "conduct"), events.SeatLeft(1, "kicked"))
    played.do(commands.Join("cyd", "server"))
    assert played.match.seated[1].player == "cyd"
    played.do(commands.Start(played.chance()))
    played.go_on()
    assert played.match.kicked == ()
    assert played.table.out == ()
    audit(played)


def test_a_kicked_seat_is_out_as_if_it_had_given_up() -> None:
    played, twin = hosted(), hosted()
    for each in (played, twin):
        start(each, "ada", "bob", "cyd")
        claim(each)
    happened = played.do(commands.Kick(2, "away")).events
    assert happened[:2] == (events.Kicked(2, "away"), events.Forfeited(2, "kicked"))
    assert happened[2:] == twin.do(commands.Forfeit(2)).events[1:]
    assert played.table.out == (2,)
    assert code_of(played, commands.Kick(2, "away")) == "eliminated"
    audit(played)


def test_nobody_wins_by_a_kick() -> None:
    played = hosted(2)
    start(played, "ada", "bob")
    kinds = [type(event) for event in played.do(commands.Kick(2, "conduct")).events]
    assert events.Won not in kinds
    assert kinds[-3:] == [events.SessionClosed, events.DealClosed, events.MatchEnded]
    assert played.table.winner is None
    audit(played)


def test_where_the_first_out_loses_nobody_loses_by_a_kick() -> None:
    played = hosted(3, game="mexican", options={})
    start(played, "ada", "bob", "cyd")
    played.do(commands.Kick(3, "conduct"))
    assert not any(isinstance(event, events.Lost | events.Won) for event in played.events)
    audit(played)


def test_a_seat_kicked_while_dice_come_about_is_out_once_they_are_there_and_no_deal_is_void() -> None:
    played = hosted(2)
    seat_with_own_seeds(played)
    assert played.do(commands.Kick(2, "away")).events == (events.Kicked(2, "away"),)
    assert code_of(played, commands.Kick(2, "away")) == "wrong_phase"
    fix_seed(played, 100)
    open_seed(played, 100)
    kinds = [type(event) for event in played.events]
    assert events.DealVoided not in kinds
    assert kinds.index(events.Forfeited) > kinds.index(events.DealReady)
    assert kinds.count(events.RoundOpened) == 0
    assert played.match.ended
    audit(played)


def test_a_kicked_seat_that_withholds_its_seed_is_barred_for_that_and_taken_out_once() -> None:
    played = hosted(3)
    seat_with_own_seeds(played)
    fix_seed(played, 100)
    played.do(commands.LogDeal(0, 0, (), "checkpoint"))
    played.do(commands.Kick(1, "away"))
    assert next_due(played) == played.at + CEREMONY_MS - 10
    happened = played.do(commands.Advance(played.chance()), CEREMONY_MS).events
    assert [event.seat for event in happened if isinstance(event, events.Forfeited)] == [1]
    audit(played)


def test_who_has_no_seat_cannot_be_kicked() -> None:
    played = hosted()
    played.do(commands.Join("ada", "server"))
    assert code_of(played, commands.Kick(2, "away")) == "unknown_player"
    assert code_of(played, commands.Kick(-1, "away")) == "unknown_player"


def test_a_kick_gives_the_seat_in_turn_no_increment() -> None:
    played = hosted(clock={"bank_ms": 60_000, "increment_ms": 5_000})
    start(played, "ada", "bob", "cyd")
    seat = played.turn
    played.do(commands.Kick(seat, "away"), 1_000)
    assert played.match.clocks is not None
    assert played.match.clocks.banks[seat] == 59_000
    audit(played)


# ---- pauses -------------------------------------------------------------------------------------


CLOCK: Final = {"bank_ms": 60_000, "increment_ms": 5_000}


def test_no_clock_runs_in_a_pause_and_who_was_in_turn_has_what_was_left() -> None:
    played = hosted(clock=CLOCK)
    start(played, "ada", "bob", "cyd")
    seat = played.turn
    happened = played.do(commands.PauseTable("break"), 1_000).events
    assert happened == (events.Paused("break", played.at + 1_800_000), events.ClockSet(seat, 59_000, None))
    assert code_of(played, commands.Challenge(seat)) == "paused"
    assert code_of(played, commands.GiveBack(100)) == "wrong_phase"
    happened = played.do(commands.ResumeTable(), 500_000).events
    assert happened == (events.Resumed("host"), events.ClockSet(seat, 59_000, played.at + 59_000))
    claim(played)
    audit(played)


def test_no_idle_time_counts_in_a_pause() -> None:
    played = hosted()
    start(played, "ada", "bob", "cyd")
    due = next_due(played)
    played.do(commands.PauseTable("trouble"), 1_000)
    played.do(commands.ResumeTable(), 100_000)
    assert next_due(played) == due + 100_000
    audit(played)


def test_a_turn_that_begins_in_a_pause_has_its_whole_time_after_it() -> None:
    played = hosted()
    start(played, "ada", "bob", "cyd")
    played.do(commands.PauseTable("trouble"))
    played.do(commands.Forfeit(played.turn), 50_000)
    assert played.match.paused is not None
    played.do(commands.ResumeTable(), 50_000)
    played.go_on()
    assert next_due(played) == played.at + 5_000
    audit(played)


def test_a_table_goes_on_by_itself_once_its_host_has_held_it_up_for_long_enough() -> None:
    played = hosted(host={"hold_ms": 60_000})
    start(played, "ada", "bob", "cyd")
    played.do(commands.PauseTable("other"))
    played.do(commands.ResumeTable(), 40_000)
    played.do(commands.PauseTable("other"))
    assert next_due(played) == played.at + 20_000
    assert code_of(played, commands.Advance(played.chance()), 19_999) == "wrong_phase"
    assert wait(played)[0] == events.Resumed("limit")
    assert code_of(played, commands.PauseTable("other")) == "no_hold_left"
    audit(played)


def test_a_table_that_may_not_be_held_up_is_not_paused() -> None:
    played = hosted(host={"hold_ms": 0})
    start(played, "ada", "bob", "cyd")
    assert code_of(played, commands.PauseTable("other")) == "no_hold_left"


def test_what_is_paused_is_not_paused_again_and_what_is_not_does_not_go_on() -> None:
    played = hosted()
    assert code_of(played, commands.PauseTable("break")) == "wrong_phase"
    start(played, "ada", "bob", "cyd")
    assert code_of(played, commands.ResumeTable()) == "not_paused"
    played.do(commands.PauseTable("break"))
    assert code_of(played, commands.PauseTable("break")) == "paused"


def test_what_is_wrong_for_good_is_said_before_that_there_is_a_pause() -> None:
    played = hosted()
    start(played, "ada", "bob", "cyd")
    played.do(commands.Forfeit(3))
    played.do(commands.PauseTable("break"))
    assert [code_of(played, commands.Challenge(seat)) for seat in (1, 2, 3, 9)] == [
        *("paused", "paused", "eliminated", "unknown_player"),
    ]
    assert code_of(played, commands.Accept(1)) == "not_allowed"


def test_nothing_is_dealt_in_a_pause_and_people_have_their_look_at_the_dice_after_it() -> None:
    played = hosted(pause_ms=4_000)
    start(played, "ada", "bob", "cyd")
    claim(played)
    played.do(commands.Challenge(played.turn))
    due = next_due(played)
    played.do(commands.PauseTable("break"), 1_000)
    assert next_due(played) == played.at + 1_800_000
    played.do(commands.ResumeTable(), 60_000)
    assert next_due(played) == due + 60_000
    audit(played)


def test_a_deal_that_has_begun_comes_to_its_dice_in_a_pause_and_its_round_opens_after_it() -> None:
    played = hosted(2)
    seat_with_own_seeds(played)
    played.do(commands.PauseTable("break"))
    assert code_of(played, commands.Forfeit(1)) == "wrong_phase"
    fix_seed(played, 100)
    open_seed(played, 100)
    assert isinstance(played.events[-1], events.DealReady)
    happened = played.do(commands.ResumeTable(), 60_000).events
    assert events.RoundOpened in [type(event) for event in happened]
    audit(played)


def test_who_gives_no_seed_has_no_longer_for_it_in_a_pause() -> None:
    played = hosted(2)
    seat_with_own_seeds(played)
    due = next_due(played)
    played.do(commands.PauseTable("break"))
    assert next_due(played) == due
    happened = wait(played)
    kinds = [type(event) for event in happened]
    assert events.SeedCustody(1, "server") in happened
    assert kinds.index(events.DealReady) < kinds.index(events.Resumed) < kinds.index(events.RoundOpened)
    audit(played)


def test_who_leaves_in_a_pause_leaves_and_the_host_ends_the_match_in_one() -> None:
    played = hosted(2)
    start(played, "ada", "bob")
    played.do(commands.PauseTable("break"))
    played.do(commands.Forfeit(2))
    assert played.table.winner == 1
    assert played.match.ended
    audit(played)


def test_a_pause_stands_in_the_view_and_then_it_is_nobodys_turn() -> None:
    played = hosted()
    start(played, "ada", "bob", "cyd")
    seat = played.turn
    assert view_of(played.written, seat, played.keeper, {}).hold_ms == 1_800_000
    played.do(commands.PauseTable("break"))
    view = view_of(played.written, seat, played.keeper, {})
    assert view.paused == PauseView(played.at, played.at + 1_800_000, "break")
    assert (view.turn, view.moves, view.due_at) == (None, (), played.at + 1_800_000)
    played.do(commands.ResumeTable(), 100_000)
    view = view_of(played.written, seat, played.keeper, {})
    assert (view.paused, view.turn, view.hold_ms) == (None, seat, 1_700_000)
    assert view_of(table().written, None, None, {}).hold_ms is None


def test_a_host_who_keeps_pausing_is_somebody_who_attends() -> None:
    played = hosted()
    start(played, "bot/bold/1", "bot/bold/2", "bot/bold/3")
    played.do(commands.PauseTable("break"), 1_000)
    played.do(commands.ResumeTable(), 1_000)
    assert played.absence.attended_at == played.at


# ---- lies about them ----------------------------------------------------------------------------


def line_at_fault(record: Record) -> int | None:
    return test_lies.judged(record).line


def kicked_record() -> Record:
    played = hosted()
    start(played, "ada", "bob", "cyd")
    played.do(commands.Kick(2, "away"))
    played.do(commands.Kick(1, "away"))
    assert played.match.ended
    return [msgspec.json.decode(line) for line in played.lines]


def paused_record() -> Record:
    played = hosted(clock=CLOCK, host={"hold_ms": 60_000})
    start(played, "ada", "bob", "cyd")
    played.do(commands.PauseTable("break"))
    played.do(commands.ResumeTable(), 10_000)
    played.do(commands.PauseTable("break"))
    wait_for_the_end(played)
    return [msgspec.json.decode(line) for line in played.lines]


@pytest.mark.parametrize(
    ("kind", "nth", "members"),
    [
        ("game.paused", 0, {"until": 2_000_000}),
        ("game.paused", 1, {"until": 1_071_000}),
        ("game.paused", 0, {"reason": "weather"}),
        ("game.resumed", 0, {"why": "limit"}),
        ("game.clock_set", 1, {"bank_ms": 60_000}),
    ],
)
def test_a_pause_of_another_length_or_by_somebody_else_is_found(kind: str, nth: int, members: dict[str, Any]) -> None:
    record = paused_record()
    assert line_at_fault(record) is None
    lie, line = test_lies.changed(record, first(record, kind, nth), **members)
    assert line_at_fault(lie) == line


def test_an_act_in_a_pause_is_found() -> None:
    record = paused_record()
    at = first(record, "game.resumed")
    seat = record[first(record, "game.clock_set")]["data"]["seat"]
    bid = {**record[at - 1], "type": "game.bid", "data": {"seat": seat, "quantity": 1, "face": 2}}
    assert line_at_fault([*record[:at], bid, *record[at:]]) == at + 1


def test_a_kick_that_leaves_the_seat_in_is_found() -> None:
    record = kicked_record()
    at = first(record, "game.forfeited")
    assert line_at_fault([*record[:at], *record[at + 1 :]]) == at + 1


def test_a_seat_taken_out_as_kicked_by_nobody_is_found() -> None:
    record = kicked_record()
    at = first(record, "game.kicked")
    assert line_at_fault([*record[:at], *record[at + 1 :]]) == at + 1


def test_a_winner_made_by_a_kick_is_found() -> None:
    record = kicked_record()
    at = first(record, "game.session_closed")
    record[at] = {**record[at], "type": "game.won", "data": {"seat": 3}}
    assert line_at_fault(record) == at + 1
