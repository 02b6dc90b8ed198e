"""Host powers: what the host of a match may do to its course, each an event with its reason.

The law of the file: a power is there only where the rules object says so, before anybody sat down; whose token has it
is the service's to know. No power throws dice away or lets anybody choose them (CUP/1 section 4.19).
"""

from __future__ import annotations

from typing import Final, Literal, assert_never

from msgspec import UNSET

from domain import commands, events
from domain.errors import Refused
from domain.ids import Seat
from domain.match.course import Course
from domain.match.evolve import Match, hold_left_ms, is_halted

GIVEN_MS: Final = (1_000, 600_000)
"""How much time a host may give at once, at least and at most."""


def do_power(course: Course, command: commands.PowerCommand) -> None:
    """Let a host do something.

    Raises:
        Refused: The rules give the match no such powers, or this is not the time for it.
    """
    _check_powers(course)
    match command:
        case commands.HandOver():
            _hand_over(course, command.to)
        case commands.Kick():
            _kick(course, command)
        case commands.PauseTable():
            _pause(course, command)
        case commands.ResumeTable():
            _resume(course)
        case commands.StandInFor():
            _stand_in_for(course, command.who)
        case commands.GiveSeatBack():
            _return_seat(course, command.who, "host")
        case commands.GiveTime():
            _give_time(course, command)
        case commands.LockTable():
            _lock(course, locked=True)
        case commands.UnlockTable():
            _lock(course, locked=False)
        case _:
            assert_never(command)


def stand_in(course: Course, command: commands.StandIn) -> None:
    """Let a house bot stand in for somebody who asks for it.

    Raises:
        Refused: The rules give the match no such powers, or this is not the time for it.
    """
    _check_powers(course)
    _check_person(course, command.seat)
    _check_changes(course)
    course.add(events.StoodIn(command.seat, "seat"))


def take_back(course: Course, command: commands.TakeBack) -> None:
    """Let somebody have the seat back, in the middle of a turn too.

    Raises:
        Refused: No house bot stands in for the seat.
    """
    _return_seat(course, command.seat, "seat")


def _check_powers(course: Course) -> None:
    if course.match.settings.host is None:
        raise Refused("not_allowed", why="the rules of this match give its host no powers")


def _check_changes(course: Course) -> None:
    """Check that the table has not been changed as often as its rules let."""
    left = changes_left(course.match)
    if left is not None and left < 1:
        raise Refused("no_changes_left", left=left)


def changes_left(match: Match) -> int | None:
    """Return how often the table may still be changed; None where the rules set no bound."""
    host = match.settings.host
    return None if host is None or host.changes is UNSET else max(0, host.changes - match.changes)


def _check_seat(course: Course, seat: Seat) -> None:
    """Check that somebody has this seat who is not out of the match."""
    if seat not in course.match.seated:
        raise Refused("unknown_player")
    if course.match.table is not None and seat in course.table.out:
        raise Refused("eliminated")


def _check_other(course: Course, seat: Seat) -> None:
    """Check that this is not the host's own seat: a host who wants to go leaves, or asks for a stand-in."""
    if seat == course.match.host:
        raise Refused("bad_target", why="this is the host's own seat")


def _hand_over(course: Course, to: Seat) -> None:
    match = course.match
    if to not in match.seated:
        raise Refused("unknown_player")
    if match.seated[to].is_bot or to == match.host or to in match.kicked:
        raise Refused("bad_target", why="the host is a person who stays, and another than now")
    _check_changes(course)
    course.add(events.HandedOver(to))


def _kick(course: Course, command: commands.Kick) -> None:
    _check_other(course, command.who)
    _check_seat(course, command.who)
    if command.who in course.match.kicked:
        raise Refused("wrong_phase", why="this seat is out as soon as the dice are there")
    course.add(events.Kicked(command.who, command.reason))
    if course.match.table is None:
        course.add(events.SeatLeft(command.who, "kicked"))


def _pause(course: Course, command: commands.PauseTable) -> None:
    match, left_ms = course.match, hold_left_ms(course.match)
    if match.table is None:
        raise Refused("wrong_phase", phase="lobby")
    if match.paused is not None:
        raise Refused("paused", until=match.paused.until)
    assert left_ms is not None, "the rules give powers"
    if left_ms < 1:
        raise Refused("no_hold_left", left_ms=left_ms)
    course.add(events.Paused(command.reason, course.at + left_ms))


def _resume(course: Course) -> None:
    if course.match.paused is None:
        raise Refused("not_paused")
    course.add(events.Resumed("host"))


def _check_person(course: Course, seat: Seat) -> None:
    """Check that this is a person who plays, and for whom no house bot stands in."""
    if course.match.table is None:
        raise Refused("wrong_phase", phase="lobby")
    who = course.match.seated.get(seat)
    if who is not None and who.is_bot:
        raise Refused("bad_target", why="a house bot has this seat")
    _check_seat(course, seat)
    if who is not None and who.stand_in:
        raise Refused("stood_in")


def _stand_in_for(course: Course, seat: Seat) -> None:
    _check_other(course, seat)
    _check_person(course, seat)
    if not _is_away(course, seat):
        raise Refused("not_away")
    _check_changes(course)
    course.add(events.StoodIn(seat, "host"))


def _is_away(course: Course, seat: Seat) -> bool:
    """Report whether a seat was marked absent, or has kept the table waiting in its turn for long enough."""
    match, absence, powers = course.match, course.match.absence, course.match.settings.host
    if absence is None or powers is None:
        return False
    waits = absence.turn == seat and not is_halted(match) and course.at - absence.turn_since >= powers.away_ms
    return seat in absence.turns or waits


def _return_seat(course: Course, seat: Seat, why: Literal["seat", "host"]) -> None:
    _check_seat(course, seat)
    if not course.match.seated[seat].stand_in:
        raise Refused("not_stood_in")
    course.add(events.TakenBack(seat, why))


def _give_time(course: Course, command: commands.GiveTime) -> None:
    match, left_ms = course.match, hold_left_ms(course.match)
    if match.settings.clock is None:
        raise Refused("not_allowed", why="there are no clocks in this match")
    if match.table is None:
        raise Refused("wrong_phase", phase="lobby")
    # All that is left of what the host may hold up is promised to a pause while there is one.
    if match.paused is not None:
        raise Refused("paused", until=match.paused.until)
    _check_seat(course, command.who)
    least, most = GIVEN_MS
    if not least <= command.ms <= most:
        raise Refused("bad_time", least=least, most=most)
    assert left_ms is not None, "the rules give powers"
    if command.ms > left_ms:
        raise Refused("no_hold_left", left_ms=left_ms)
    course.add(events.TimeGiven(command.who, command.ms, command.reason))


def _lock(course: Course, *, locked: bool) -> None:
    if course.match.table is not None:
        raise Refused("already_started")
    if course.match.locked == locked:
        raise Refused("wrong_phase", locked=locked)
    _check_changes(course)
    course.add(events.Locked() if locked else events.Unlocked())
