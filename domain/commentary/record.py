"""A commentary as lines: its events encoded into its stream, and read back out of it, as those of a match are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from msgspec import Struct

from domain.commentary.commentary import Commentary, evolve_commentary, new_commentary
from domain.commentary.events import CommentaryEvent, CommentaryOpened, commentary_event_of
from domain.ids import UnixMs, Version
from domain.log import canonical
from domain.match.record import chain, said_by

PREFIX: Final = "commentary/"


class CommentaryAtHead(Struct, frozen=True):
    """A commentary together with the hash its stream ends in."""

    commentary: Commentary
    head: str


def stream_of_commentary(match: UUID) -> str:
    """Return the name of the stream of what is said about a match."""
    return f"{PREFIX}{match}"


def commentary_lines(
    match: UUID, version: Version, head: str, at: UnixMs, happened: Iterable[CommentaryEvent]
) -> tuple[tuple[bytes, ...], str]:
    """Return the lines of these events, to follow the line with hash `head`, and the new head."""
    return chain(stream_of_commentary(match), version, head, at, happened)


def step_commentary(written: CommentaryAtHead | None, line: bytes) -> CommentaryAtHead:
    """Return the commentary after one more line; the first line opens it.

    Raises:
        NotCanonical: The line is none.
        UnknownVersion, ValueError: It is of another version, or of no type of a commentary.
        msgspec.ValidationError: Its members are not those of its type.
    """
    kind, data, at = said_by(line)
    event = commentary_event_of(kind, data)
    if written is None:
        assert isinstance(event, CommentaryOpened)
        return CommentaryAtHead(new_commentary(event, at), canonical.head(line))
    return CommentaryAtHead(evolve_commentary(written.commentary, event, at), canonical.head(line))
