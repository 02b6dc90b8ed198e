"""Host powers: what the host of a match may do to its course, each an event with its reason.

The law of the file: a power is there only where the rules object says so, before anybody sat down; whose token has it
is the service's to know. No power throws dice away or lets anybody choose them (CUP/1 section 4.19).
"""

from __future__ import annotations

from domain import commands, events
from domain.errors import Refused
from domain.ids import Seat
from domain.match.course import Course
from domain.match.settings import HostPowers


def do_power(course: Course, command: commands.PowerCommand) -> None:
    """Let a host do something.

    Raises:
        Refused: The rules give the match no such powers, or this is not the time for it.
    """
    _powers_of(course)
    _kick(course, command)


def _powers_of(course: Course) -> HostPowers:
    if course.match.settings.host is None:
        raise Refused("not_allowed", why="the rules of this match give its host no powers")
    return course.match.settings.host


def _check_seat(course: Course, seat: Seat) -> None:
    """Check that somebody has this seat who is not out of the match."""
    if seat not in course.match.seated:
        raise Refused("unknown_player")
    if course.match.table is not None and seat in course.table.out:
        raise Refused("eliminated")


def _kick(course: Course, command: commands.Kick) -> None:
    _check_seat(course, command.who)
    if command.who in course.match.kicked:
        raise Refused("wrong_phase", why="this seat is out as soon as the dice are there")
    course.add(events.Kicked(command.who, command.reason))
    if course.match.table is None:
        course.add(events.SeatLeft(command.who, "kicked"))
