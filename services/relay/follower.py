"""Walks one shard of the log, page by page, for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Protocol

from infra.clock import ticks_s
from infra.measures.tracing import span
from infra.store import Recorded, Unavailable
from services.relay.tail import LogTail
from services.work.waiting import Waits

IDLE_S = 2.0
"""How long to sleep when no bell rings; bells ring for whatever is committed, so this is only a second net."""


class FollowingWork(Protocol):
    """What is done with the lines of a shard. It keeps by itself how far it has come.

    Attributes:
        name: What it is called where its progress is told.
        page: Lines handed on at once.
        pause_s: How long to let lines gather after each page, in seconds.
    """

    name: str
    page: int
    pause_s: float

    async def start(self, shard: int) -> int:
        """Return the position after which there is something to do."""

    async def take(self, shard: int, page: Sequence[Recorded]) -> int:
        """Do it for these lines, and return the position where the work stands then."""

    async def try_again(self, shard: int, position: int) -> None:
        """Do what has failed before this position, where the work stands, and is due again.

        Cost: nothing, if nothing has failed.
        """


class Follower:
    """Follows one shard with one work.

    Attributes:
        position: How far it has come.
        behind: How many events it was behind what had been heard of when it looked last.
    """

    def __init__(self, work: FollowingWork, shard: int, tail: LogTail) -> None:
        """Do this work on this shard of the log whose tail this is."""
        self._work = work
        self._shard = shard
        self._tail = tail
        self._bell = tail.bell(shard)
        self._waits = Waits(work.name, shard=shard)
        self._late_since: float | None = None
        self.position = 0
        self.behind = 0

    @property
    def name(self) -> str:
        """What its work is called."""
        return self._work.name

    @property
    def shard(self) -> int:
        """The shard it follows."""
        return self._shard

    @property
    def events_left(self) -> int:
        """How many events it is behind what has been heard of."""
        return max(0, self._tail.highest_position(self._shard) - self.position)

    @property
    def late_s(self) -> float:
        """For how many seconds it has been behind; 0 if it is not."""
        return 0.0 if self._late_since is None or not self.events_left else ticks_s() - self._late_since

    async def run(self) -> None:
        """Follow until cancelled. After trouble it starts like after a crash: it asks the work where it stands."""
        while True:
            try:
                self.position = await self._work.start(self._shard)
                await self._follow()
            except Unavailable as trouble:
                self._note_late()
                await self._waits.out(trouble)

    def _note_late(self) -> None:
        if self._late_since is None or not self.events_left:
            self._late_since = ticks_s()

    async def _follow(self) -> None:
        """Take page after page, until the work stands elsewhere than behind the page it was given."""
        while True:
            await self._work.try_again(self._shard, self.position)
            page = await self._tail.follow(self._shard, self.position, self._work.page)
            self.behind = max(len(page), self._tail.highest_position(self._shard) - self.position)
            if not page:
                self._waits.over()
                self._late_since = None
                await self._bell.wait(IDLE_S)
                continue
            if self._late_since is None:
                self._late_since = ticks_s()
            with span("relay.page", work=self._work.name, shard=self._shard, lines=len(page)):
                self.position = await self._work.take(self._shard, page)
            self._late_since = self._late_since if self.events_left else None
            self._waits.over()
            if self.position != page[-1].position:
                return
            await asyncio.sleep(self._work.pause_s)
