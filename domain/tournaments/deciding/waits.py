"""Decisions about arenas: who is ready for a table, and who is not."""

from __future__ import annotations

from domain.errors import Refused
from domain.tournaments import commands, events
from domain.tournaments.deciding.course import TournamentCourse
from domain.tournaments.events import RULE
from domain.tournaments.formats.table import format_of


def wait(course: TournamentCourse, command: commands.WaitForTable) -> None:
    """Put on record that an entrant of an arena is ready for a table."""
    _check(course, command, waits=True)
    course.add(events.PlayerWaits(command.number))


def take_break(course: TournamentCourse, command: commands.TakeBreak) -> None:
    """Put on record that an entrant of an arena is not; the director says it of who has gone."""
    _check(course, command, waits=False)
    course.add(events.PlayerPauses(command.number))


def _check(course: TournamentCourse, command: commands.WaitForTable | commands.TakeBreak, *, waits: bool) -> None:
    """Check that an entrant may say so; the director says it for others.

    Raises:
        Refused: Somebody else says it, nobody waits here, or it has been said.
    """
    director = command.by == RULE
    entrant = course.entrant(command.number) if director else course.check_own(command.by, command.number)
    course.check_phase("running")
    if not format_of(course.tournament.stage_rules).waits or course.stage.closed is not None:
        raise Refused("wrong_phase", phase=course.tournament.phase)
    if entrant.gone is not None:
        raise Refused("already_withdrawn")
    if entrant.asked is not None and entrant.asked[0] is waits:
        raise Refused("already_registered")
