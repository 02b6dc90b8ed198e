"""Moves finished matches to the archive, where they take less room and are read as before.

Any number of archivists may do this, and may be killed at any time: a match is moved in one transaction, so it is in
one place or in the other. Nobody waits for it, and nothing but room depends on it.
"""

from __future__ import annotations

import asyncio
from typing import Final

from infra.clock import now_ms
from infra.store import SHARDS, Archive, Away, Unavailable
from services.work.changes import noting_away
from services.work.waiting import Waits

NAME: Final = "archive"
"""What it is called where it says that it waits."""
LOOK_S: Final = 60.0
"""How often it looks for matches that have ended."""
PAUSE_S: Final = 0.05
"""How long the commands of a shard have it for themselves after each match; one is moved in some milliseconds."""


class Archivist:
    """Keeps what has ended in less room.

    Attributes:
        moved: How many matches this program has moved.
    """

    def __init__(self, store: Archive, after_s: int) -> None:
        """Move what has ended in this store so many seconds ago."""
        self._store = store
        self._after_ms = 1_000 * after_s
        self._waits = Waits(NAME)
        self.moved = 0

    async def run(self) -> None:
        """Work until cancelled. What the store cannot do now is tried again."""
        while True:
            try:
                await self.work()
            except Unavailable as trouble:
                await self._waits.out(trouble)
            else:
                self._waits.over()
                await asyncio.sleep(LOOK_S)

    async def work(self) -> int:
        """Move whatever has ended long enough ago, one match at a time; return how many there were.

        Raises:
            Away: One of several databases does not answer; what the others have has been moved.
            Unavailable: The home does not answer. What has been moved stays moved.
        """
        before, moved, away = now_ms() - self._after_ms, 0, list[Away]()
        for shard in range(SHARDS):
            with noting_away(away):
                moved += await self._work_on(shard, before)
        if away:
            raise away[0]
        return moved

    async def _work_on(self, shard: int, before: int) -> int:
        moved, looked = 0, ""
        while (step := await self._store.archive_next(shard, looked, before)).looked is not None:
            looked = step.looked
            if step.moved:
                moved += 1
                self.moved += 1
                await asyncio.sleep(PAUSE_S)
        return moved
