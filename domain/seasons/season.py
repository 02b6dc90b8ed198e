"""Season as its stream leaves it: which tournaments are held for it, what each came to, and how strong everybody is."""

from __future__ import annotations

from fractions import Fraction
from typing import Final
from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

from domain.ids import UnixMs, Version
from domain.seasons import events
from domain.seasons.rules import SeasonRules, season_rules
from domain.tournaments.points import points_of

Rated = tuple[int, int, int]
"""mu and sigma in millionths, and after how many matches."""
CAUTION: Final = 3
"""What is shown of a rating is so many sigmas below mu: what somebody is at least, most probably."""
PROVISIONAL: Final = 4_000_000
"""Above this sigma, in millionths, nobody knows yet how strong somebody is."""


class Season(Struct, frozen=True):
    """All that deciding, standings and ratings need to know.

    Attributes:
        admitted: The tournaments that are held for it, in the order of their lines.
        counted: Those that have counted, each with the hash of its last line.
        results: What each member has from which tournament.
        ratings: How strong each member is.
        closed: Whether nothing follows.
        up: Who goes up then; `down`, who goes down.
        at: When its last line was written.
    """

    id: UUID
    game: str
    rules: SeasonRules
    admitted: tuple[str, ...] = ()
    counted: dict[str, str] = {}
    results: dict[str, dict[str, Fraction]] = {}
    ratings: dict[str, Rated] = {}
    closed: bool = False
    up: tuple[str, ...] = ()
    down: tuple[str, ...] = ()
    version: Version = 1
    at: UnixMs = 0

    @property
    def members(self) -> frozenset[str]:
        """Everybody who has a result or a rating."""
        return frozenset((*self.results, *self.ratings))

    @property
    def awaited(self) -> tuple[str, ...]:
        """The tournaments that are held for it and have not counted yet."""
        return tuple(each for each in self.admitted if each not in self.counted)


def new_season(event: events.SeasonCreated, at: UnixMs) -> Season:
    """Return a season as its first line leaves it.

    Raises:
        Refused: `bad_options`.
    """
    return Season(UUID(event.season), event.game, season_rules(event.rules), at=at)


def evolve_season(season: Season, event: events.SeasonEvent, at: UnixMs) -> Season:
    """Return the season after something has happened."""
    after = replace(season, version=season.version + 1, at=at)
    match event:
        case events.TournamentAdmitted():
            return replace(after, admitted=(*season.admitted, event.tournament))
        case events.TournamentCounted():
            return _count(after, event)
        case events.SeasonClosed():
            return replace(after, closed=True, up=event.up, down=event.down)
        case _:
            raise AssertionError("a season is created once")


def _count(season: Season, event: events.TournamentCounted) -> Season:
    results = dict(season.results)
    for member, text in event.points:
        results[member] = {**results.get(member, {}), event.tournament: points_of(text)}
    ratings = {**season.ratings, **{member: (mu, sigma, matches) for member, mu, sigma, matches in event.ratings}}
    counted = {**season.counted, event.tournament: event.head}
    return replace(season, counted=counted, results=results, ratings=ratings)
