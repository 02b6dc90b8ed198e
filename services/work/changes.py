"""Change cursors: which matches have moved since one last looked, for programs that follow the log match by match."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from infra.store import Recorded

PAGE = 512


class Log(Protocol):
    """The part of the event store that is followed."""

    async def positions(self) -> dict[int, int]:
        """Return the last position of each shard."""

    async def follow(self, shard: int, after: int, limit: int) -> Sequence[Recorded]:
        """Return lines after a position."""


class LiveLog(Log, Protocol):
    """A log that also says which matches go on."""

    async def streams_live(self) -> list[str]:
        """Return the streams that have dealt and not ended."""


class ChangeCursor:
    """Follows every shard at once. A look asks for the positions, and for the lines of each shard that has grown."""

    def __init__(self, log: Log) -> None:
        """Follow this log from `begin` on."""
        self._log = log
        self._positions: dict[int, int] = {}

    async def begin(self) -> None:
        """Take everything there is now as seen."""
        self._positions = dict(await self._log.positions())

    async def look(self) -> dict[str, int]:
        """Return the streams with new lines, each with the version it has reached at least."""
        found: dict[str, int] = {}
        for shard, end in (await self._log.positions()).items():
            seen = self._positions.get(shard, 0)
            rows = await self._log.follow(shard, seen, PAGE) if end > seen else ()
            for row in rows:
                found[row.stream] = row.seq + 1
                self._positions[shard] = row.position
        return found
