"""What a command on a match leads to.

The law of the file: `decide` refuses, or says what happens. Time and chance come with the command and are read nowhere
else. What follows of itself (a seal after the last commitment, the first round once the dice are fixed, the end after
the last loss) follows in the same append, so that no crash can fall between.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

from msgspec import Struct

from domain import commands, events
from domain.errors import Refused, first_refusal
from domain.fairness.beacons import MARGIN_S, Chain, first_round_after
from domain.fairness.deal import context
from domain.fairness.secrets import DealSecrets
from domain.games import rules_of
from domain.ids import DealNumber, Milliseconds, Seat, UnixMs
from domain.match import ceremony as ceremonies
from domain.match import clocks as timing
from domain.match.ceremony import CEREMONY_MS
from domain.match.course import Course
from domain.match.evolve import (
    Match,
    beacon_due_at,
    due_at,
    is_dealing,
    is_in_ceremony,
    lacks_dice,
    seats_in,
    seats_out_of_seed_time,
    seed_due_at,
    table_deals,
    unattended_end_at,
)
from domain.seats import SEAT_MAX, lowest_free_seat
from domain.table import decide as table


class Decision(Struct, frozen=True):
    """What a command leads to.

    Attributes:
        events: What has happened, in order; never empty.
        match: The match after them.
        keeper: The keeper of the current deal's secrets.
        secrets: What has to be stored, wrapped, in the same transaction: bytes by name (`deal/0`, `seed/0/3`).
    """

    events: tuple[events.Event, ...]
    match: Match
    keeper: DealSecrets | None
    secrets: dict[str, bytes]


def decide(match: Match, command: commands.MatchCommand, at: UnixMs, keeper: DealSecrets | None) -> Decision:
    """Return what the command leads to.

    Args:
        match: The match it is decided on; the append must find it at this version.
        command: What is asked, by whom, with the chance it may need.
        at: The time, in Unix milliseconds. For show and for clocks; no rule of a game reads it.
        keeper: The secrets of the current deal, if there is one.

    Raises:
        Refused: A rule says no; nothing has happened.
    """
    if match.ended:
        raise Refused("game_over")
    course = Course(match, at, keeper, command)
    _HANDLERS.get(type(command), _play)(course, command)
    while _add_following(course):
        continue
    return Decision(tuple(course.events), course.match, course.keeper, course.secrets)


# ---- the lobby ----------------------------------------------------------------------------------


def _join(course: Course, command: commands.Join) -> None:
    match = course.match
    if match.table is not None:
        raise Refused("already_started")
    if len(match.seated) >= match.settings.seats:
        raise Refused("too_many_players", seats=match.settings.seats)
    seat = lowest_free_seat(match.seated) if command.seat is None else command.seat
    if seat not in {lowest_free_seat(match.seated), match.seats_given + 1} or seat > SEAT_MAX:
        raise Refused("bad_target", why="this is not the next seat")
    course.add(events.SeatJoined(seat, command.player))
    if command.custody == "server":
        course.add(events.SeedCustody(seat, "server"))


def _leave(course: Course, command: commands.Leave) -> None:
    if course.match.table is not None:
        raise Refused("already_started")
    if command.seat not in course.match.seated:
        raise Refused("unknown_player")
    course.add(events.SeatLeft(command.seat, "left"))


def _start(course: Course, command: commands.Start) -> None:
    match = course.match
    if match.table is not None:
        raise Refused("already_started")
    lowest = rules_of(match.settings.game, match.settings.options).seats[0]
    if len(match.seated) < lowest:
        raise Refused("too_few_players", seats=lowest)
    course.add(events.Started(tuple(sorted(match.seated))))
    _begin_deal(course, command.chance)


# ---- the deal -----------------------------------------------------------------------------------


def _begin_deal(course: Course, chance: commands.Chance) -> None:
    course.add(*(events.SeedCustody(seat, "server") for seat in seats_out_of_seed_time(course.match)))
    match = course.match
    cups = table.deal_cups(course.table, match.settings.deal_per)
    ctx = context(match.id.bytes, match.deals, match.rules_hash, match.policy, cups)
    custody = tuple(seat for seat in seats_in(match) if match.seated[seat].custody)
    keeper = course.keeper = chance.deal_secrets(match.deals, ctx, cups, custody)
    course.secrets[f"deal/{keeper.number}"] = keeper.secret
    course.secrets.update({f"seed/{keeper.number}/{seat}": seed for seat, seed in keeper.seeds.items()})
    course.add(ceremonies.commit_deal(keeper))


def _commit_seed(course: Course, command: commands.CommitSeed) -> None:
    _check_own_seed(course.match, command.seat)
    course.add(ceremonies.commit_seed(course.ceremony, command.seat, command.deal, command.commit))


def _log_deal(course: Course, command: commands.LogDeal) -> None:
    if course.match.ceremony is None or course.ceremony.stage != "sealed" or course.ceremony.deal != command.deal:
        raise Refused("not_dealing")
    if _is_near(course, CEREMONY_MS + ceremonies.OPENED_MS):
        _void(course, "late")
    else:
        course.add(events.DealLogged(command.deal, command.index, command.path, command.checkpoint))


def _is_near(course: Course, ms: Milliseconds) -> bool:
    """Report whether the deal waits for a beacon that speaks before so much time has passed."""
    due = beacon_due_at(course.match)
    return due is not None and due - course.at < ms


def _open_seed(course: Course, command: commands.OpenSeed) -> None:
    _check_own_seed(course.match, command.seat)
    if _is_near(course, ceremonies.OPENED_MS):
        raise Refused("not_dealing", why="the beacon speaks soon")
    course.add(ceremonies.open_seed(course.ceremony, command.seat, command.deal, command.seed))


def _fix_deal(course: Course, command: commands.FixDeal) -> None:
    _check_waiting(course, command.deal, "logged")
    if _is_near(course, 1000 * MARGIN_S):
        _void(course, "late")
    else:
        course.add(events.DealFixed(command.deal, command.index, command.path, command.checkpoint))


def _hear_beacon(course: Course, command: commands.HearBeacon) -> None:
    _check_waiting(course, command.deal, "fixed")
    if course.ceremony.beacon is None or command.round != course.ceremony.beacon.round:
        raise Refused("not_dealing", why="this is another round")
    course.add(ceremonies.ready_deal(course.ceremony, command.signature))


def _check_waiting(course: Course, deal: DealNumber, stage: ceremonies.Stage) -> None:
    """Check that this deal waits, with all seeds open, for the log or the beacon."""
    waits = course.match.ceremony is not None and course.ceremony.beacon is not None and not course.ceremony.waiting_for
    if not waits or (course.ceremony.deal, course.ceremony.stage) != (deal, stage):
        raise Refused("not_dealing")


def _check_own_seed(match: Match, seat: Seat) -> None:
    if match.ceremony is None:
        raise Refused("not_dealing")
    if seat not in match.seated:
        raise Refused("unknown_player")
    if match.seated[seat].custody:
        raise Refused("server_custody")


# ---- the game -----------------------------------------------------------------------------------


def _play(course: Course, command: commands.TableCommand) -> None:
    if course.match.table is None:
        raise Refused("wrong_phase", phase="lobby")
    # Who only leaves needs no dice to do it, but a ceremony that has begun is for the seats it began with.
    leaves = isinstance(command, commands.Forfeit | commands.CloseSession)
    if is_in_ceremony(course.match) or (is_dealing(course.match) and not leaves):
        code = first_refusal(table.refusal_of(course.table, command), "wrong_phase")
        assert code is not None
        raise Refused(code, phase="dealing")
    if isinstance(command, commands.Forfeit):
        course.forfeit(command, course.dealer)
        return
    course.play(command)
    absence = course.match.absence
    if absence is not None and course.acting in absence.turns:
        course.add(events.Returned(course.acting))


def _close_session(course: Course, command: commands.CloseSession) -> None:
    if course.match.table is None:
        course.add(events.MatchEnded(None))
    else:
        _play(course, command)


def _end_match(course: Course, _command: commands.EndMatch) -> None:
    if course.match.ending is not None:
        raise Refused("wrong_phase", ending=course.match.ending)
    _ask_to_end(course, "host")


def _close_unattended(course: Course, _command: commands.CloseUnattended) -> None:
    due = unattended_end_at(course.match)
    if due is None or course.at < due:
        raise Refused("wrong_phase", due_at=due)
    _ask_to_end(course, "unattended")


def _ask_to_end(course: Course, why: Literal["host", "expired", "unattended"]) -> None:
    course.add(events.EndAsked(why))
    if course.match.table is None:
        course.add(events.MatchEnded(None))


def _give_back(course: Course, command: commands.GiveBack) -> None:
    given = () if course.match.clocks is None else timing.give_back_events(course.match.clocks, command.ms)
    if not given or command.ms < 1:
        raise Refused("wrong_phase", why="no clock is running")
    course.add(*given)


# ---- what the table does when it is due ---------------------------------------------------------


def _advance(course: Course, command: commands.Advance) -> None:
    due = due_at(course.match)
    if due is None or course.at < due:
        raise Refused("wrong_phase", due_at=due)
    stage = None if course.match.ceremony is None else course.match.ceremony.stage
    if course.match.table is None:
        _ask_to_end(course, "expired")
    elif stage == "committed":
        _take_custody(course, command.chance)
    elif stage == "logged":
        _void(course, "withheld")
    elif table_deals(course.match):
        _begin_next_round(course, command.chance)
    else:
        _time_out(course)


def _take_custody(course: Course, chance: commands.Chance) -> None:
    """Draw the seeds of seats that gave none in time, and say so (CUP/1 section 4.13): nothing is sealed yet."""
    late = tuple(seat for seat in course.ceremony.waiting_for if seed_due_at(course.match, seat) <= course.at)
    taken = {seat: chance.seeds[seat] for seat in late}
    course.secrets.update({f"seed/{course.ceremony.deal}/{seat}": seed for seat, seed in taken.items()})
    course.keeper = course.deal_secrets.secrets_with(taken)
    course.add(*(events.SeedCustody(seat, "server") for seat in late))


def _void(course: Course, reason: Literal["withheld", "late"]) -> None:
    course.add(*ceremonies.void_deal(course.ceremony, course.deal_secrets.secret, reason))
    for seat in course.ceremony.missing:
        if course.table.phase != "finished":
            course.forfeit(commands.Forfeit(seat), table.NO_DICE)


def _begin_next_round(course: Course, chance: commands.Chance) -> None:
    if course.ceremony.stage == "ready" and not lacks_dice(course.match):
        course.deal()
        return
    if course.ceremony.stage == "ready":
        course.close_deal()
    _begin_deal(course, chance)


def _time_out(course: Course) -> None:
    seat = course.table.turn
    assert seat is not None
    course.add(events.TimedOut(seat))
    if _mark_absent(course, seat):
        course.forfeit(commands.Forfeit(seat, "absent"), course.dealer)
        return
    clock = course.match.settings.clock
    if clock is not None and clock.on_timeout == "forfeit":
        course.forfeit(commands.Forfeit(seat), course.dealer)
    else:
        course.play(table.timeout_command(course.table, course.dealer))


def _mark_absent(course: Course, seat: Seat) -> bool:
    """Put on record that the table acts for a seat, once a turn; report whether that was once too often."""
    idle, absence = course.match.settings.idle, course.match.absence
    if idle is None or absence is None:
        return False
    turns = absence.turns_now(seat)
    if not absence.counted:
        course.add(events.Absent(seat, turns))
    return turns >= idle.turns


# ---- what follows of itself ---------------------------------------------------------------------


def _add_following(course: Course) -> bool:
    """Add what follows of itself, one step; report whether anything did. Ends, since every step moves a stage on."""
    before = len(course.events)
    if course.match.table is not None and not course.match.ended:
        _stop_or_start_clock(course)
        _end_between_rounds(course)
        _FOLLOWING.get("" if course.match.ceremony is None else course.ceremony.stage, _no_step)(course)
        _finish(course)
    return len(course.events) > before


def _stop_or_start_clock(course: Course) -> None:
    clocks, clock = course.match.clocks, course.match.settings.clock
    if clocks is not None and clock is not None:
        acted = course.acting == clocks.running
        turn = None if is_dealing(course.match) else course.table.turn
        course.add(*timing.turn_clock_events(clock, clocks, turn, course.at, acted=acted))


def _end_between_rounds(course: Course) -> None:
    """End a match that was to end, now that no round is under way. A deal that has begun comes to its dice first."""
    if course.match.ending is not None and not is_in_ceremony(course.match) and table.is_between_rounds(course.table):
        course.add(events.SessionClosed())


def _no_step(_course: Course) -> None:
    """Nothing follows at this stage."""


def _step_after_commit(course: Course) -> None:
    course.add(*ceremonies.custody_commits(course.ceremony, course.deal_secrets))
    if not course.ceremony.waiting_for:
        course.add(ceremonies.seal_deal(course.ceremony, _round_ahead(course)))


def _round_ahead(course: Course) -> events.BeaconRound | None:
    """Return the round of the beacon that a deal sealed now is to wait for, if it is to wait for one."""
    beacon = course.match.settings.beacon
    if beacon is None:
        return None
    ahead = -(-(course.at + ceremonies.AHEAD_MS) // 1000)
    return events.BeaconRound(beacon.chain, first_round_after(Chain(beacon.genesis, beacon.period), ahead))


def _step_after_log(course: Course) -> None:
    course.add(*ceremonies.custody_openings(course.ceremony, course.deal_secrets))
    if not course.ceremony.waiting_for and course.ceremony.beacon is None:
        course.add(ceremonies.ready_deal(course.ceremony))


def _step_while_ready(course: Course) -> None:
    state = course.table
    if state.phase == "between_rounds" and not table.has_played_in_deal(state):
        course.deal()
    elif state.phase == "finished" or (course.match.settings.deal_per == "round" and table.is_round_over(state)):
        course.close_deal()


def _finish(course: Course) -> None:
    if course.table.phase == "finished" and (course.match.ceremony is None or course.ceremony.stage == "closed"):
        course.add(events.MatchEnded(course.table.winner))


_FOLLOWING: Final[dict[str, Callable[[Course], None]]] = {
    "committed": _step_after_commit,
    "logged": _step_after_log,
    "ready": _step_while_ready,
}

_HANDLERS: Final[dict[type[commands.Command], Callable[[Course, Any], None]]] = {
    commands.Join: _join,
    commands.Leave: _leave,
    commands.Start: _start,
    commands.CommitSeed: _commit_seed,
    commands.LogDeal: _log_deal,
    commands.OpenSeed: _open_seed,
    commands.FixDeal: _fix_deal,
    commands.HearBeacon: _hear_beacon,
    commands.Advance: _advance,
    commands.GiveBack: _give_back,
    commands.CloseSession: _close_session,
    commands.EndMatch: _end_match,
    commands.CloseUnattended: _close_unattended,
}
