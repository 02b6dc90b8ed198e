"""Pauses: no clock runs and nobody plays in one, and a table goes on by itself once it was held up for long enough."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from domain import commands, events
from domain.match.pauses import Pause, next_round_at
from domain.match.settings import HostPowers, newest_edition, settings_of
from projections.around import PauseView
from projections.view import view_of
from tests.domain import test_lies
from tests.domain.absence_tables import audit, claim, code_of, next_due, start, table, wait, wait_for_the_end
from tests.domain.playing import Played
from tests.domain.test_ends_asked_for import fix_seed, open_seed, seat_with_own_seeds
from tests.domain.test_host_powers import CLOCK, hosted
from tests.domain.test_lies import Record, first


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


def ended_in_a_pause() -> Played:
    """Return a match whose round ended 60 s into a pause of 65 s."""
    played = hosted(pause_ms=4_000)
    start(played, "ada", "bob", "cyd")
    claim(played)
    played.do(commands.PauseTable("break"))
    played.do(commands.Kick(played.turn, "conduct"), 60_000)
    played.do(commands.ResumeTable(), 5_000)
    return played


def test_a_round_that_ends_in_a_pause_is_looked_at_for_its_time_after_it_and_no_longer() -> None:
    played = ended_in_a_pause()
    assert next_due(played) == played.at + 4_000
    played.do(commands.PauseTable("other"), 1_000)
    played.do(commands.ResumeTable(), 7_000)
    assert next_due(played) == played.at + 3_000, "what was left of it"
    wait(played)
    claim(played)
    audit(played)


def test_a_match_of_before_waits_for_all_that_such_a_pause_lasted() -> None:
    powers = HostPowers(changes=100)
    settings = settings_of({"game": "common_hand", "options": {}, "host": {"changes": 100}, "pause_ms": 4_000})
    assert settings.host == powers
    pause = Pause(1_000, 90_000, "break")
    assert next_round_at(pause, 65_000, settings, 66_000) == 130_000, "it ended at 61,000"
    assert next_round_at(pause, 3_000, settings, 66_000) == 68_000, "it ended before the pause"
    now = newest_edition(settings)
    assert next_round_at(pause, 65_000, now, 66_000) == 70_000
    assert next_round_at(pause, 3_000, now, 66_000) == 68_000
    assert next_round_at(pause, None, now, 66_000) is None


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
    leaver = played.turn
    played.do(commands.PauseTable("break"))
    played.do(commands.Forfeit(leaver))
    assert played.table.winner == 3 - leaver
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
    assert test_lies.judged(record).line is None
    lie, line = test_lies.changed(record, first(record, kind, nth), **members)
    assert test_lies.judged(lie).line == line


def test_an_act_in_a_pause_is_found() -> None:
    record = paused_record()
    at = first(record, "game.resumed")
    seat = record[first(record, "game.clock_set")]["data"]["seat"]
    bid = {**record[at - 1], "type": "game.bid", "data": {"seat": seat, "quantity": 1, "face": 2}}
    assert test_lies.judged([*record[:at], bid, *record[at:]]).line == at + 1
