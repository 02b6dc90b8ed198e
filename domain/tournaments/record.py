"""A tournament as lines: its events encoded into its stream, and read back out of it, as those of a match are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from msgspec import Struct

from domain.ids import UnixMs, Version
from domain.log import canonical
from domain.match.record import chain, said_by
from domain.tournaments.events import TournamentCreated, TournamentEvent, event_of
from domain.tournaments.evolve import evolve, new_tournament
from domain.tournaments.tournament import Tournament

PREFIX: Final = "tournament/"


class TournamentAtHead(Struct, frozen=True):
    """A tournament together with the hash its stream ends in."""

    tournament: Tournament
    head: str


def is_tournament(stream: str) -> bool:
    """Report whether a stream is that of a tournament."""
    return stream.startswith(PREFIX)


def tournament_of(stream: str) -> UUID:
    """Return the tournament whose stream this is.

    Raises:
        ValueError: It is no tournament's.
    """
    return UUID(stream.removeprefix(PREFIX))


def stream_of(tournament: UUID) -> str:
    """Return the name of a tournament's stream."""
    return f"{PREFIX}{tournament}"


def lines_of(
    tournament: UUID, version: Version, head: str, at: UnixMs, happened: Iterable[TournamentEvent]
) -> tuple[tuple[bytes, ...], str]:
    """Return the lines of these events, to follow the line with hash `head`, and the new head.

    Args:
        tournament: Whose stream it is.
        version: How many lines the stream has.
        head: The hash of the last of them.
        at: The time of the command, in Unix milliseconds.
        happened: The events, in order.
    """
    return chain(stream_of(tournament), version, head, at, happened)


def step(written: TournamentAtHead | None, line: bytes) -> tuple[TournamentAtHead, TournamentEvent]:
    """Return the tournament after one more line, with the event it holds; the first line creates the tournament.

    Raises:
        NotCanonical: The line is none.
        UnknownVersion, ValueError: It is of another version, or of no type of a tournament.
        msgspec.ValidationError: Its members are not those of its type.
    """
    kind, data, at = said_by(line)
    event = event_of(kind, data)
    if written is None:
        assert isinstance(event, TournamentCreated)
        return TournamentAtHead(new_tournament(event, at), canonical.head(line)), event
    return TournamentAtHead(evolve(written.tournament, event, at), canonical.head(line)), event
