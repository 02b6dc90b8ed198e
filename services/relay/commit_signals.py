"""Bells that ring when something was stored, in this process or in another.

A poke only saves waiting: what nobody tells is found by looking at the log a few times a second, once for all bells.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from contextlib import suppress
from typing import Final

from infra.feed import Feed
from infra.store import EventLog, Unavailable

LOOK_S: Final = 0.25
"""The age at which another program's commit is noticed while nothing tells of it."""


class Bell:
    """Wakes one sleeper. Rung while nobody sleeps, it wakes the next one at once."""

    def __init__(self) -> None:
        """Be silent."""
        self._rung = asyncio.Event()

    def ring(self) -> None:
        """Wake the sleeper."""
        self._rung.set()

    async def wait(self, timeout_s: float) -> None:
        """Return when the bell has rung, or after the time."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._rung.wait()
        except TimeoutError:
            return
        self._rung.clear()


class Pokes:
    """Rings the bells of this process, and pokes the others."""

    def __init__(self, store: EventLog, feed: Feed) -> None:
        """Poke over this feed, and look at this store."""
        self._store = store
        self._feed = feed
        self._reached: defaultdict[int, int] = defaultdict(int)
        self._untold: dict[int, int] = {}
        self._telling = Bell()
        self._bells: defaultdict[int | None, list[Bell]] = defaultdict(list)

    def bell(self, shard: int | None = None) -> Bell:
        """Return a new bell that rings when this shard, or any, has grown."""
        bell = Bell()
        self._bells[shard].append(bell)
        return bell

    def reached(self, shard: int) -> int:
        """Return the highest position heard of in a shard; 0 before any."""
        return self._reached[shard]

    def committed(self, shard: int, position: int) -> None:
        """Note that this process has stored something: the hook of the event store."""
        self._ring(shard, position)
        self._untold[shard] = max(position, self._untold.get(shard, 0))
        self._telling.ring()

    async def run(self) -> None:
        """Hear pokes, send them and look, until cancelled."""
        listening = await self._feed.pokes(self._ring)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._tell())
                group.create_task(self._look())
        finally:
            await listening.stop()

    async def _tell(self) -> None:
        """Poke the others. However many commits there are, at most one poke a shard waits."""
        while True:
            await self._telling.wait(LOOK_S)
            untold, self._untold = self._untold, {}
            # While the bus is away, the others find by looking what they are not told.
            with suppress(Unavailable):
                for shard, position in untold.items():
                    await self._feed.poke(shard, position)

    async def _look(self) -> None:
        while True:
            # While the database is away there is nothing to find.
            with suppress(Unavailable):
                for shard, position in (await self._store.positions()).items():
                    self._ring(shard, position)
            await asyncio.sleep(LOOK_S)

    def _ring(self, shard: int, position: int) -> None:
        if position <= self._reached[shard]:
            return
        self._reached[shard] = position
        for bell in (*self._bells[shard], *self._bells[None]):
            bell.ring()
