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
from domain.match.decide import decide
from domain.match.dues import due_at
from domain.match.record import fold
from domain.match.settings import HostPowers, rules_object, settings_of
from projections.view import view_of
from tests.domain import test_lies
from tests.domain.absence_tables import IDLE, audit, claim, code_of, next_due, start, table, wait, wait_for_the_end
from tests.domain.playing import Played
from tests.domain.test_ends_asked_for import fix_seed, open_seed, seat_with_own_seeds
from tests.domain.test_every_game import SESSION, STEPS_MAX, begun, judged, step
from tests.domain.test_lies import Record, first
from tests.sizes import cases

QUIET: Final = settings(suppress_health_check=list(HealthCheck), max_examples=cases(2, 60))
POWERS: Final[dict[str, Any]] = {"host": {}}
"""What gives a match the powers of the house."""


CLOCK: Final = {"bank_ms": 60_000, "increment_ms": 5_000}


def hosted(seats: int = 3, **rules: Any) -> Played:
    return table(seats, **{**POWERS, "options": {"dice_per_player": 5}, **rules})


def power(played: Played, drawn: random.Random) -> commands.MatchCommand:
    """Return something that a host asks for, allowed or not."""
    who = drawn.randint(1, played.match.settings.seats + 1)
    if played.match.paused is not None and drawn.random() < 0.5:
        return commands.ResumeTable()
    asked: tuple[commands.MatchCommand, ...] = (
        *(commands.Kick(who, "away"), commands.PauseTable("break"), commands.ResumeTable()),
        *(commands.StandIn(who), commands.TakeBack(who), commands.StandInFor(who), commands.GiveSeatBack(who)),
        *(commands.HandOver(who), commands.LockTable()),
        commands.GiveTime(who, drawn.choice((0, 5_000)), "other"),
    )
    return drawn.choice(asked)


def offered(played: Played) -> set[commands.MatchCommand]:
    """Return what the view says that may be done now, as whoever has the powers, or as a seat for itself."""
    open_now = view_of(played.written, None, None, {}).hosting
    if open_now is None:
        return set()
    tables: dict[str, commands.MatchCommand] = {
        "pause": commands.PauseTable("other"),
        "resume": commands.ResumeTable(),
        "lock": commands.LockTable(),
        "unlock": commands.UnlockTable(),
    }
    return {
        *(tables[power] for power in open_now.table),
        *(commands.Kick(seat, "other") for seat in open_now.kick),
        *(commands.HandOver(seat) for seat in open_now.hand_over),
        *(commands.GiveTime(seat, 1_000, "other") for seat in open_now.give_time),
        *(commands.GiveSeatBack(seat) for seat in open_now.take_back),
        *(commands.StandInFor(seat) for seat, since in open_now.stand_in if since <= played.at),
        *(commands.StandIn(seat) for seat in open_now.lend),
    }


def taken(played: Played) -> set[commands.MatchCommand]:
    """Return what of all that could be asked for is not refused."""
    asked: list[commands.MatchCommand] = [commands.PauseTable("other"), commands.ResumeTable()]
    asked += [commands.LockTable(), commands.UnlockTable()]
    for seat in range(1, played.match.settings.seats + 2):
        asked += [commands.Kick(seat, "other"), commands.HandOver(seat), commands.GiveTime(seat, 1_000, "other")]
        asked += [commands.GiveSeatBack(seat), commands.StandInFor(seat), commands.StandIn(seat)]
    return {command for command in asked if is_taken(played, command)}


def is_taken(played: Played, command: commands.MatchCommand) -> bool:
    try:
        decide(played.match, command, played.at, played.keeper)
    except Refused:
        return False
    return True


def use(played: Played, drawn: random.Random) -> None:
    """Let the host do something; a refusal changes nothing, and what the view offers is what is not refused."""
    assert offered(played) == taken(played)
    before = played.match
    try:
        played.do(power(played, drawn), drawn.choice((10, 60_000)))
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
    idle = {**IDLE, "turn_ms": 200_000, "then": drawn.choice(("out", "stand_in"))}
    played = begun(game, drawn, clock=clock, idle=idle, **POWERS)
    for steps in range(STEPS_MAX):
        if played.match.ended:
            break
        if due_at(played.match) is not None and drawn.random() < (0.05 if played.match.paused is None else 0.2):
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


def test_a_table_is_changed_only_as_often_as_its_rules_let() -> None:
    played = hosted(host={"changes": 4})
    played.do(commands.Join("ada", "server"))
    played.do(commands.Join("bob", "server"))
    for command in (commands.LockTable(), commands.UnlockTable(), commands.HandOver(2)):
        assert offered(played) == taken(played)
        played.do(command)
    played.do(commands.Start(played.chance()))
    played.go_on()
    played.do(commands.StandIn(1))
    # Whoever has lent a seat has it back at any time; it is lent no more.
    played.do(commands.TakeBack(1))
    assert code_of(played, commands.StandIn(1)) == "no_changes_left"
    assert code_of(played, commands.HandOver(1)) == "no_changes_left"
    assert offered(played) == taken(played) == {commands.PauseTable("other"), commands.Kick(1, "other")}
    played.do(commands.Kick(1, "other"))
    audit(played)


def test_locks_and_hosts_that_change_keep_no_lobby_open() -> None:
    played = hosted(clock=CLOCK)
    played.do(commands.Join("ada", "server"))
    due = next_due(played)
    assert offered(played) == taken(played)
    for command in (commands.LockTable(), commands.UnlockTable(), commands.HandOver(1)):
        played.do(command, 10_000)
    assert next_due(played) == due
    played.do(commands.Leave(1))
    assert next_due(played) == played.at + IDLE["lobby_ms"]
    wait(played)
    assert played.match.ended
    audit(played)


def test_a_match_that_begins_now_has_the_bound_and_one_of_before_has_none() -> None:
    assert hosted().match.settings.host == HostPowers(changes=100, moves="since")
    before = settings_of({"game": "common_hand", "options": {}, "host": {}})
    assert rules_object(before)["host"] == {"hold_ms": 1_800_000, "away_ms": 30_000}


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


# ---- handing over -------------------------------------------------------------------------------


def test_the_host_hands_the_powers_over_to_somebody_at_the_table() -> None:
    played = hosted(4)
    start(played, "ada", "bob", "cyd", "bot/bold/1")
    assert view_of(played.written, None, None, {}).host is None
    assert played.do(commands.HandOver(2)).events == (events.HandedOver(2),)
    assert view_of(played.written, None, None, {}).host == 2
    played.do(commands.HandOver(3))
    played.do(commands.HandOver(2))
    wait_for_the_end(played)
    audit(played)


def test_nobody_hands_over_to_nobody_to_a_bot_to_the_own_seat_or_to_who_is_taken_out() -> None:
    played = hosted(4)
    start(played, "ada", "bob", "cyd", "bot/bold/1")
    played.do(commands.HandOver(2))
    played.do(commands.Kick(3, "away"))
    codes = [code_of(played, commands.HandOver(seat)) for seat in (0, 9, 4, 2, 3)]
    assert codes == ["unknown_player", "unknown_player", "bad_target", "bad_target", "bad_target"]


def test_a_host_at_the_table_kicks_everybody_but_the_own_seat() -> None:
    played = hosted()
    start(played, "ada", "bob", "cyd")
    played.do(commands.HandOver(2))
    assert code_of(played, commands.Kick(2, "other")) == "bad_target"
    assert code_of(played, commands.StandInFor(2), 40_000) == "bad_target"
    played.do(commands.StandIn(2))
    played.do(commands.Kick(1, "other"))
    wait_for_the_end(played)
    audit(played)


def test_a_host_who_leaves_the_lobby_leaves_the_powers_to_who_opened_the_match() -> None:
    played = hosted()
    played.do(commands.Join("ada", "server"))
    played.do(commands.HandOver(1))
    played.do(commands.Join("bob", "server"))
    played.do(commands.Leave(2))
    assert played.match.host == 1
    played.do(commands.Leave(1))
    played.do(commands.Join("eve", "server"))
    assert played.match.seated[1].player == "eve"
    assert played.match.host is None
    played.do(commands.EndMatch())
    audit(played)


# ---- locks --------------------------------------------------------------------------------------


def test_nobody_but_bots_sits_down_at_a_locked_table() -> None:
    played = hosted()
    played.do(commands.Join("ada", "server"))
    assert code_of(played, commands.UnlockTable()) == "wrong_phase"
    assert played.do(commands.LockTable()).events == (events.Locked(),)
    assert view_of(played.written, None, None, {}).locked
    assert code_of(played, commands.LockTable()) == "wrong_phase"
    assert code_of(played, commands.Join("bob", "server")) == "locked"
    played.do(commands.Join("bot/bold/1", "server"))
    assert played.do(commands.UnlockTable()).events == (events.Unlocked(),)
    played.do(commands.Join("bob", "server"))
    played.do(commands.Start(played.chance()))
    played.go_on()
    assert [code_of(played, command) for command in (commands.LockTable(), commands.UnlockTable())] == [
        *("already_started", "already_started"),
    ]
    assert code_of(played, commands.Join("cyd", "server")) == "already_started"
    wait_for_the_end(played)
    audit(played)


def test_somebody_who_sits_down_at_a_locked_table_is_found() -> None:
    played = hosted()
    played.do(commands.Join("ada", "server"))
    played.do(commands.LockTable())
    played.do(commands.Join("bot/bold/1", "server"))
    wait_for_the_end(played)
    truth: Record = [msgspec.json.decode(line) for line in played.lines]
    lie, line = test_lies.changed(truth, first(truth, "seat.joined", 1), player="bob")
    assert line_at_fault(lie) == line


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
