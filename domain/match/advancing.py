"""Moves of the table itself when it is due: the next round, a turn of a seat out of time, seeds that nobody gave."""

from __future__ import annotations

from typing import Literal

from domain import commands, events
from domain.errors import Refused
from domain.ids import Seat
from domain.match.course import Course
from domain.match.dealing import begin_deal, take_custody, void_deal
from domain.match.evolve import (
    due_at,
    lacks_dice,
    table_deals,
)
from domain.table import decide as table


def ask_to_end(course: Course, why: Literal["host", "expired", "unattended"]) -> None:
    """Ask for the end, which comes as soon as no round is under way; a lobby ends at once."""
    course.add(events.EndAsked(why))
    if course.match.table is None:
        course.add(events.MatchEnded(None))


def advance(course: Course, command: commands.Advance) -> None:
    """Do what is due by now.

    Raises:
        Refused: This is not the time for it.
    """
    due = due_at(course.match)
    if due is None or course.at < due:
        raise Refused("wrong_phase", due_at=due)
    stage = None if course.match.ceremony is None else course.match.ceremony.stage
    if course.match.table is None:
        ask_to_end(course, "expired")
    elif stage == "committed":
        take_custody(course, command.chance)
    elif stage == "logged":
        void_deal(course, "withheld")
    elif table_deals(course.match):
        _begin_next_round(course, command.chance)
    else:
        _time_out(course)


def _begin_next_round(course: Course, chance: commands.Chance) -> None:
    if course.ceremony.stage == "ready" and not lacks_dice(course.match):
        course.deal()
        return
    if course.ceremony.stage == "ready":
        course.close_deal()
    begin_deal(course, chance)


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
