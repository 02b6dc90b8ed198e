"""Tournament tables: how the seats of one say that they are there, and what the director may do to its match.

The law of the file: all of it is there only where the rules object names the table (`event`), and what a host may do
elsewhere is not. Who directs is the service's to know. Nothing here voids a deal: one that has begun comes to its dice,
or to nothing by itself.
"""

from __future__ import annotations

from typing import Final, assert_never

from domain import commands, events
from domain.errors import Refused
from domain.ids import Seat
from domain.match.boards import release_round, share_deal
from domain.match.course import Course
from domain.match.dues import ready_awaited
from domain.match.evolve import round_limit

_OF_TABLES_WITH_HOSTS: Final = (commands.Leave, commands.EndMatch, commands.CloseSession, commands.CloseUnattended)
"""What nobody asks for at a table of a tournament: who plays there, and how long, is for its officials to say."""
_OF_EVENTS: Final = (commands.SayReady, commands.DirectorCommand)


def check_asked(course: Course, command: commands.MatchCommand) -> None:
    """Check that a command is one of those for a table of a tournament, or for any other, whichever this is.

    Raises:
        Refused: `not_allowed`.
    """
    if course.match.settings.event is None:
        if isinstance(command, _OF_EVENTS):
            raise Refused("not_allowed", why="this is no table of a tournament")
        return
    if isinstance(command, _OF_TABLES_WITH_HOSTS):
        raise Refused("not_allowed", why="at a table of a tournament its officials see to this")
    # Who sits where is for the tournament to say, so a seat is named. Everybody may ask without one, and is answered
    # alike: that tells neither when something happened last nor whether the match is over.
    if isinstance(command, commands.Join) and command.seat is None:
        raise Refused("not_allowed", why="who plays here is for the tournament to say")


def do_for_event(course: Course, command: commands.EventCommand) -> None:
    """Let a seat say that it is there, or the director do something.

    Raises:
        Refused: This is not the time for it.
    """
    match command:
        case commands.SayReady():
            _say_ready(course, command.seat)
        case commands.LeaveOut():
            _leave_out(course, command.who)
        case commands.LastRound():
            _set_last_round(course)
        case commands.StopMatch():
            _stop(course, command.line)
        case commands.ShareDeal():
            share_deal(course, command)
        case commands.ReleaseRound():
            release_round(course, command)
        case _:
            assert_never(command)


def _check_lobby(course: Course, seat: Seat) -> None:
    if course.match.table is not None:
        raise Refused("already_started")
    if seat not in course.match.seated:
        raise Refused("unknown_player")


def _say_ready(course: Course, seat: Seat) -> None:
    _check_lobby(course, seat)
    if seat not in (ready_awaited(course.match) or ()):
        raise Refused("already_ready")
    course.add(events.SeatReady(seat))


def _leave_out(course: Course, who: Seat) -> None:
    _check_lobby(course, who)
    if who not in (ready_awaited(course.match) or ()):
        raise Refused("bad_target", why="this seat is there")
    course.add(events.SeatLeft(who, "no_show"))


def _set_last_round(course: Course) -> None:
    if course.match.table is None:
        raise Refused("wrong_phase", phase="lobby")
    _check_not_stopped(course)
    limit = round_limit(course.match)
    if limit is not None and limit <= max(1, course.table.round_number):
        raise Refused("wrong_phase", why="this is the last round as it is")
    course.add(events.LastRoundSet())


def _stop(course: Course, line: int) -> None:
    _check_not_stopped(course)
    course.add(events.Stopped(line))
    if course.match.table is None:
        course.add(events.MatchEnded(None))


def _check_not_stopped(course: Course) -> None:
    if course.match.stopped is not None:
        raise Refused("wrong_phase", why="the match ends as soon as the dice that come about are there")
