"""Decisions about who takes part: entry, check-in, byes, who leaves and who comes back."""

from __future__ import annotations

from domain.errors import Refused
from domain.tournaments import commands, events
from domain.tournaments.deciding.course import TournamentCourse
from domain.tournaments.rules import FIXED, Double, KnockoutStage, LastLonger, Single
from domain.tournaments.tournament import Entrant

ELIMINATIONS = (Single, Double, KnockoutStage, LastLonger)
MILLION = 1_000_000


def open_entry(course: TournamentCourse, command: commands.OpenEntry) -> None:
    """Let people enter."""
    course.check_host(command.by)
    course.check_phase("announced")
    course.add(events.EntryOpened(command.by))


def close_entry(course: TournamentCourse, command: commands.CloseEntry) -> None:
    """Let nobody enter any more."""
    course.check_host(command.by)
    course.check_phase("entry")
    if course.tournament.entry_closed:
        raise Refused("entry_closed")
    course.add(events.EntryClosed(command.by))


def register(course: TournamentCourse, command: commands.Register) -> None:
    """Enter somebody."""
    tournament, entry = course.tournament, course.tournament.rules.entry
    official = command.by in tournament.officials
    if command.by != command.player and not official:
        raise Refused("not_yours")
    late = _is_late(course)
    if not late:
        course.check_phase("entry")
        if tournament.entry_closed and not official:
            raise Refused("entry_closed")
    if any(each.player == command.player for each in tournament.entrants.values()):
        raise Refused("already_registered")
    if sum(each.gone is None for each in tournament.entrants.values()) >= entry.max:
        raise Refused("tournament_full", max=entry.max)
    _check_conditions(course, command, official=official)
    number = max(tournament.entrants, default=0) + 1
    course.add(
        events.PlayerRegistered(
            number, command.player, command.club, command.bot, command.rating, command.seed, command.by
        )
    )


def _is_late(course: TournamentCourse) -> bool:
    """Report whether somebody comes when rounds are played already.

    Raises:
        Refused: `entry_closed`: too many are closed.
    """
    tournament = course.tournament
    if tournament.phase != "running":
        return False
    stage = course.stage
    closed = sum(each.closed_at is not None for each in stage.rounds.values())
    fixed = isinstance(tournament.stage_rules, (*ELIMINATIONS, *FIXED))
    if (
        stage.number > 1
        or fixed
        or closed > tournament.rules.entry.late_rounds
        or not tournament.rules.entry.late_rounds
    ):
        raise Refused("entry_closed")
    return True


def _check_conditions(course: TournamentCourse, command: commands.Register, *, official: bool) -> None:
    entry = course.tournament.rules.entry
    if entry.invited and not official:
        raise Refused("entry_conditions", condition="invited")
    if command.bot and entry.bots == "none":
        raise Refused("entry_conditions", condition="bots")
    if not command.bot and entry.bots == "only":
        raise Refused("entry_conditions", condition="bots")
    if entry.rating is not None:
        mu = None if command.rating is None else command.rating[0]
        low, high = entry.rating
        if mu is None or not low * MILLION <= mu <= high * MILLION:
            raise Refused("entry_conditions", condition="rating", rating=list(entry.rating))


def approve(course: TournamentCourse, command: commands.Approve) -> None:
    """Let an entrant in."""
    course.check_official(command.by)
    entrant = course.entrant(command.number)
    if entrant.is_in:
        raise Refused("already_registered")
    course.add(events.PlayerApproved(command.number, command.by, command.reason, command.note))


def turn_away(course: TournamentCourse, command: commands.TurnAway) -> None:
    """Do not let an entrant in."""
    course.check_official(command.by)
    entrant = course.entrant(command.number)
    course.check_phase("entry", "check_in")
    if entrant.gone is not None:
        raise Refused("already_withdrawn")
    course.add(events.PlayerTurnedAway(command.number, command.by, command.reason, command.note))


def open_check_in(course: TournamentCourse, command: commands.OpenCheckIn) -> None:
    """Ask everybody to say that they are there."""
    course.check_host(command.by)
    course.check_phase("entry")
    tournament = course.tournament
    ready = sum(each.is_in and each.gone is None for each in tournament.entrants.values())
    if ready < tournament.rules.entry.min:
        raise Refused("too_few_players", seats=tournament.rules.entry.min)
    if not tournament.entry_closed:
        course.add(events.EntryClosed(command.by))
    course.add(events.CheckInOpened(course.at + tournament.rules.time.check_in_ms, command.by))


def check_in(course: TournamentCourse, command: commands.CheckIn) -> None:
    """Put on record that an entrant is there."""
    entrant = course.check_own(command.by, command.number)
    course.check_phase("check_in")
    _check_plays(entrant)
    if not entrant.is_in:
        raise Refused("entry_conditions", condition="approve")
    if entrant.here and entrant.draws == command.draws:
        raise Refused("already_registered")
    course.add(events.PlayerCheckedIn(command.number, command.draws, command.by))


def withdraw(course: TournamentCourse, command: commands.Withdraw) -> None:
    """Take an entrant out, from the next pairing on."""
    entrant = course.check_own(command.by, command.number)
    course.check_phase("entry", "check_in", "drawing", "running")
    if entrant.gone is not None:
        raise Refused("already_withdrawn")
    place = course.tournament.next_place
    course.add(events.PlayerWithdrawn(command.number, *place, command.by, command.reason, command.note))


def take_back(course: TournamentCourse, command: commands.Return) -> None:
    """Take an entrant in again."""
    entrant = course.check_own(command.by, command.number)
    course.check_phase("entry", "check_in", "running")
    if entrant.disqualified:
        raise Refused("disqualified")
    if entrant.gone is None:
        raise Refused("already_registered")
    running = course.tournament.phase == "running"
    if running and isinstance(course.tournament.stage_rules, ELIMINATIONS):
        raise Refused("too_late")
    if running and not entrant.here:
        raise Refused("not_checked_in")
    place = course.tournament.next_place
    if entrant.gone[0] != place[0]:
        raise Refused("too_late")
    course.add(events.PlayerReturned(command.number, *place, command.by, command.reason, command.note))


def request_bye(course: TournamentCourse, command: commands.RequestBye) -> None:
    """Leave an entrant out of a round that is not paired yet."""
    entrant = course.check_own(command.by, command.number)
    stage_number, first = course.tournament.next_place
    course.check_phase("entry", "check_in", "drawing", "running")
    _check_plays(entrant)
    if isinstance(course.tournament.stage_rules, (*ELIMINATIONS, *FIXED)):
        raise Refused("too_late", why="here everybody plays every round")
    if command.round < first:
        raise Refused("too_late", round=first)
    asked = [kind for place, kind in entrant.byes.items() if place != (stage_number, command.round)]
    last = course.tournament.rounds_planned
    is_last = last is not None and command.round >= last
    if command.kind == "half" and (asked.count("half") >= course.tournament.rules.entry.half_byes or is_last):
        raise Refused("too_late", half_byes=course.tournament.rules.entry.half_byes)
    course.add(events.ByeRequested(command.number, stage_number, command.round, command.kind, command.by))


def drop_bye(course: TournamentCourse, command: commands.DropBye) -> None:
    """Let an entrant play in a round that it had asked to be left out of."""
    entrant = course.check_own(command.by, command.number)
    stage, first = course.tournament.next_place
    if (stage, command.round) not in entrant.byes or command.round < first:
        raise Refused("too_late", round=first)
    course.add(events.ByeDropped(command.number, stage, command.round, command.by))


def _check_plays(entrant: Entrant) -> None:
    if entrant.gone is not None:
        raise Refused("already_withdrawn")
    if entrant.disqualified:
        raise Refused("disqualified")
