"""Lines of a season. A tournament is held for a season before it begins, and counts once it is closed."""

from __future__ import annotations

from typing import Annotated, Any, get_args

import msgspec
from msgspec import Meta

from domain.events.base import BaseEvent
from domain.tournaments.rules import Season as SeasonId

Digest = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
MemberPoints = tuple[str, str]
"""A member, and points as a fraction."""
MemberRating = tuple[str, int, int, int]
"""A member, mu and sigma in millionths, and after how many matches."""


class SeasonCreated(BaseEvent, frozen=True, tag="season.created"):
    """A season of a game has begun, under rules frozen from here on."""

    season: SeasonId
    game: str
    rules: dict[str, Any]


class TournamentAdmitted(BaseEvent, frozen=True, tag="season.tournament_admitted"):
    """A tournament is going to be held for the season: it will count, however it comes out."""

    tournament: SeasonId


class TournamentCounted(BaseEvent, frozen=True, tag="season.tournament_counted"):
    """A tournament that is closed with this hash counts; in parts, from 1, which stand in one append.

    `ratings` are how strong somebody is after it; one that was cancelled counts for nothing.
    """

    tournament: SeasonId
    head: Digest
    part: int
    points: tuple[MemberPoints, ...]
    ratings: tuple[MemberRating, ...]


class SeasonClosed(BaseEvent, frozen=True, tag="season.closed"):
    """Nothing follows; who goes up, and who goes down, by the rules of the league."""

    up: tuple[str, ...]
    down: tuple[str, ...]


SeasonEvent = SeasonCreated | TournamentAdmitted | TournamentCounted | SeasonClosed
"""Whatever stands in the log of a season."""

_KINDS = {str(kind.__struct_config__.tag): kind for kind in get_args(SeasonEvent)}


def season_event_of(kind: str, data: dict[str, Any]) -> SeasonEvent:
    """Return the event that a line says.

    Raises:
        ValueError: There is no such type, or it has other members.
    """
    if kind not in _KINDS:
        raise ValueError(f"there is no event of the type {kind}")
    event: SeasonEvent = msgspec.convert(data, _KINDS[kind])
    return event
