"""Sightings: what seats of the house have seen of each match, from its frames and from nothing else.

They are kept while there is room, and made again from the first frame on wherever they are not: after a restart, or
when a table was not looked at for long.
"""

from __future__ import annotations

from typing import Final, Protocol
from uuid import UUID

from cachetools import LRUCache

from domain.ids import Seat, Version
from services.engines.seen import SeenMatch

SEATS_MAX: Final = 256
"""Seats that are kept in mind, of ten at a table some 50 kB each."""
PAGE: Final = 256
"""Frames that are read at once."""


class SeatFrames(Protocol):
    """Where frames of a seat come from."""

    async def frames(self, match_id: UUID, viewer: Seat, after: Version, limit: int) -> list[bytes]:
        """Return at most `limit` encoded frames of this seat with versions above `after`, ascending."""


class Sightings:
    """What each seat has seen."""

    def __init__(self, source: SeatFrames) -> None:
        """Read frames from here."""
        self._source = source
        self._seen: LRUCache[tuple[UUID, Seat], SeenMatch] = LRUCache(SEATS_MAX)

    async def up_to(self, match_id: UUID, seat: Seat, version: Version) -> SeenMatch | None:
        """Return what a seat has seen of a match up to this version; None where it has seen more.

        Cost: the frames that are new to it; all of them where it is not kept. Nobody asks for the same twice at a time.
        """
        seen = self._seen.pop((match_id, seat), None) or SeenMatch(seat)
        # Whoever is cut off here, or told of a frame out of order, leaves nothing behind, and all is read again.
        while seen.version < version:
            after = seen.version
            for frame in await self._source.frames(match_id, seat, after, min(PAGE, version - after)):
                seen.take(frame)
            if seen.version == after:
                return None
        self._seen[match_id, seat] = seen
        return seen if seen.version == version else None
