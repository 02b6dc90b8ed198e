"""Consequences in the same append: seals, openings, rounds, clocks, the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from domain import events
from domain.fairness.beacons import Chain, first_round_after
from domain.match import ceremony as ceremonies
from domain.match import clocks as timing
from domain.match.course import Course
from domain.match.evolve import (
    is_dealing,
    is_in_ceremony,
)
from domain.table import decide as table


def add_following(course: Course) -> bool:
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
