"""Requests that both modes make: commands of a line that was typed, those of a host; and how a match there ends."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Final, Protocol

from msgspec import structs

from services.cli.playing.names import Json
from services.cli.playing.phrases import phrase
from services.cli.playing.powers import power_of
from services.client import seating
from services.client.seating import Sitting
from services.client.signing import Shield


class Shielded(Protocol):
    """A seat at work, as far as its key is told of."""

    @property
    def sitting(self) -> Sitting | None:
        """The seat."""

    @property
    def shield(self) -> Shield:
        """Whether what it asks for is signed."""

    @property
    def key(self) -> str | None:
        """The public key that is here for it, as hex."""


class Ended(Enum):
    """How it ended: the match is over, over and to be played again, or was left."""

    OVER = "over"
    AGAIN = "again"
    LEFT = "left"


def command_of(what: str | None, line: str, view: Json | None) -> tuple[Json, bool]:
    """Return what is asked for by a line, and whether the host asks for it, who is told by the server if not.

    Raises:
        CannotDo: It names a power, and nobody whom that could be about.
    """
    if what == "resign":
        return {"type": "resign"}, False
    power = None if view is None else power_of(line, view)
    return ({"type": "say", "text": line}, False) if power is None else power


def link_line(sitting: Sitting, view: Json) -> str:
    """Return what is told with the link to one's own seat."""
    return phrase("link", link=own_link(sitting, view))


def shield_lines(session: Shielded) -> list[str]:
    """Return whether what a seat asks for is signed, and how its key is kept; nothing for who has no seat."""
    if session.sitting is None:
        return []
    told = [phrase("shield", shield=session.shield, key=session.key or "")]
    if session.shield != "signed":
        return told
    return [*told, phrase("backup", match=session.sitting.match, token=session.sitting.token)]


def is_keyless(view: Json) -> bool:
    """Report whether the viewer has a seat, and it has no key: then it signs nothing, and is told so."""
    return any(one["seat"] == view["viewer"] and one.get("key") is None for one in view["seats"])


def own_link(sitting: Sitting, view: Json) -> str:
    """Return the link to one's own seat, with what its seeds are made from, as the page of the table takes it."""
    return seating.link_of(structs.replace(sitting, seat=view["viewer"]))


HOST_ASKS: Final[dict[str | None, Callable[[Sitting], None]]] = {
    "bot": lambda sitting: seating.seat_bots(sitting, 1),
    "start": seating.start,
}
"""What the host of a table asks for before the match starts, by its word."""
