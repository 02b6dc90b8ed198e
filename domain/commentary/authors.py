"""Authors of comments: opaque ids that say in what office somebody wrote, and nothing of who it is.

A host of a match is `h` and 24 hex digits, which follow from the match and from the seat that has the powers of the
host, if one has; an official of its tournament `o` and as many, as in the lines of that; anybody else a player of the
house, `u` and as many (`domain.seasons.members`).
"""

from __future__ import annotations

from typing import Final, Literal
from uuid import UUID

from domain.ids import Seat

Office = Literal["host", "official", "player"]
_OFFICES: Final[dict[str, Office]] = {"h": "host", "o": "official"}


def host_author(match: UUID, seat: Seat | None) -> str:
    """Return the id under which the host of a match writes about it: whoever opened it, or a seat."""
    return f"h{match.hex[:22]}{seat or 0:02x}"


def office_of(author: str) -> Office:
    """Return in what office an author wrote."""
    return _OFFICES.get(author[:1], "player")
