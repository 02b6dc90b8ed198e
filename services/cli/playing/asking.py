"""Requests that both modes make: commands of a line that was typed, those of a host; and how a match there ends."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Final

from services.cli.playing.names import Json
from services.client import seating
from services.client.seating import Sitting


class Ended(Enum):
    """How it ended: the match is over, over and to be played again, or was left."""

    OVER = "over"
    AGAIN = "again"
    LEFT = "left"


def command_of(what: str | None, line: str) -> Json:
    """Return what is asked for by a line; whoever is no host is told so by the server."""
    match what:
        case "resign":
            return {"type": "resign"}
        case "end":
            return {"type": "end_match"}
        case _:
            return {"type": "say", "text": line}


HOST_ASKS: Final[dict[str | None, Callable[[Sitting], None]]] = {
    "bot": lambda sitting: seating.seat_bots(sitting, 1),
    "start": seating.start,
}
"""What the host of a table asks for before the match starts, by its word."""
