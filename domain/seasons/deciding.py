"""Decisions of a season: which tournaments are held for it, what counts, and its end.

Points and ratings come with the command, since they follow from other records: the service works them out, and an audit
holds them against those records. What is decided here is that each counts once, and only what was said beforehand.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from msgspec import Struct

from domain.errors import Refused
from domain.ids import UnixMs
from domain.seasons import events
from domain.seasons.season import Rated, Season, evolve_season
from domain.seasons.standings import league_table, promoted, relegated
from domain.tournaments.points import points_text

PART: Final = 500
"""Members whose points and ratings a line holds at most."""
TOURNAMENTS_MAX: Final = 10_000
"""Tournaments that are held for a season at most."""


class AdmitTournament(Struct, frozen=True):
    """Hold a tournament for the season."""

    tournament: str


class CountTournament(Struct, frozen=True):
    """Count a tournament that is closed.

    Attributes:
        tournament: Which one.
        head: The hash of its last line.
        points: What each member gets for it.
        ratings: How strong those are who have played.
    """

    tournament: str
    head: str
    points: Mapping[str, Fraction]
    ratings: Mapping[str, Rated]


class CloseSeason(Struct, frozen=True):
    """End the season."""


SeasonCommand = AdmitTournament | CountTournament | CloseSeason


class SeasonDecision(Struct, frozen=True):
    """What a command leads to: what has happened, never nothing, and the season after it."""

    events: tuple[events.SeasonEvent, ...]
    season: Season


def decide_season(season: Season, command: SeasonCommand, at: UnixMs) -> SeasonDecision:
    """Return what a command leads to.

    Raises:
        Refused: `season_over`, `already_registered`, `season_full`, `too_late`, `season_running`.
    """
    if season.closed:
        raise Refused("season_over")
    happened = _happened(season, command)
    for event in happened:
        season = evolve_season(season, event, at)
    return SeasonDecision(happened, season)


def _happened(season: Season, command: SeasonCommand) -> tuple[events.SeasonEvent, ...]:
    match command:
        case AdmitTournament():
            return _admit(season, command)
        case CountTournament():
            return _count(season, command)
        case _:
            return _close(season)


def _admit(season: Season, command: AdmitTournament) -> tuple[events.SeasonEvent, ...]:
    if command.tournament in season.admitted:
        raise Refused("already_registered")
    if len(season.admitted) >= TOURNAMENTS_MAX:
        raise Refused("season_full", max=TOURNAMENTS_MAX)
    return (events.TournamentAdmitted(command.tournament),)


def _count(season: Season, command: CountTournament) -> tuple[events.SeasonEvent, ...]:
    if command.tournament not in season.admitted:
        raise Refused("too_late", why="what counts is said before a tournament begins")
    if command.tournament in season.counted:
        raise Refused("already_registered")
    points, ratings = command.points, command.ratings
    members = sorted({*points, *ratings})
    parts = [members[first : first + PART] for first in range(0, len(members), PART)] or [[]]
    return tuple(
        events.TournamentCounted(
            command.tournament,
            command.head,
            number,
            tuple((member, points_text(points[member])) for member in part if member in points),
            tuple((member, *ratings[member]) for member in part if member in ratings),
        )
        for number, part in enumerate(parts, start=1)
    )


def _close(season: Season) -> tuple[events.SeasonEvent, ...]:
    if season.awaited:
        raise Refused("season_running", tournaments=list(season.awaited[:10]))
    table = league_table(season)
    return (events.SeasonClosed(promoted(season, table), relegated(season, table)),)
