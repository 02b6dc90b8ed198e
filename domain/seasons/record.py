"""A season as lines: its events encoded into its stream, and read back out of it, as those of a tournament are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from msgspec import Struct

from domain.ids import UnixMs, Version
from domain.log import canonical
from domain.match.record import chain, said_by
from domain.seasons.events import SeasonCreated, SeasonEvent, season_event_of
from domain.seasons.season import Season, evolve_season, new_season

PREFIX: Final = "season/"


class SeasonAtHead(Struct, frozen=True):
    """A season together with the hash its stream ends in."""

    season: Season
    head: str


def is_season(stream: str) -> bool:
    """Report whether a stream is that of a season."""
    return stream.startswith(PREFIX)


def season_of(stream: str) -> UUID:
    """Return the season whose stream this is.

    Raises:
        ValueError: It is no season's.
    """
    return UUID(stream.removeprefix(PREFIX))


def stream_of_season(season: UUID) -> str:
    """Return the name of a season's stream."""
    return f"{PREFIX}{season}"


def season_lines(
    season: UUID, version: Version, head: str, at: UnixMs, happened: Iterable[SeasonEvent]
) -> tuple[tuple[bytes, ...], str]:
    """Return the lines of these events, to follow the line with hash `head`, and the new head."""
    return chain(stream_of_season(season), version, head, at, happened)


def step_season(written: SeasonAtHead | None, line: bytes) -> SeasonAtHead:
    """Return the season after one more line; the first line creates it.

    Raises:
        NotCanonical: The line is none.
        UnknownVersion, ValueError: It is of another version, or of no type of a season.
        msgspec.ValidationError: Its members are not those of its type.
    """
    kind, data, at = said_by(line)
    event = season_event_of(kind, data)
    if written is None:
        assert isinstance(event, SeasonCreated)
        return SeasonAtHead(new_season(event, at), canonical.head(line))
    return SeasonAtHead(evolve_season(written.season, event, at), canonical.head(line))
