"""The tail of the log: the lines stored last, in memory, for every work of this program that follows the log.

The law of the file: what this program stores it is not told by the database. A commit hands its lines over by position;
the database is asked for what others have stored, and once for all works. A work that is further behind than memory
reaches reads the log itself until it is not.

Bells wake the works. A poke only saves waiting: what nobody tells is found by looking at the log a few times a second,
once for all of them.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from infra.feed import Feed
from infra.store import SHARDS, EventLog, Recorded, Unavailable
from services.work.single_flight import Once

LOOK_S: Final = 0.25
"""The age at which another program's commit is noticed while nothing tells of it."""
KEPT_MAX: Final = 1_024
"""Lines kept of a shard: what a work misses that lets them gather for a second or two."""
BYTES_MAX: Final = 2 * 1_024 * 1_024
"""What the lines kept of a shard may take; a line has half a kilobyte, and the longest some dozens."""
TELL_S: Final = 0.1
"""How long commits gather before others are told, where the frames of all that is stored are made in this program."""
PAGE: Final = 512
"""Lines read at once of what others have stored."""


LinesHeard = Callable[[Sequence[Recorded]], None]
"""Takes lines that were stored, in the order of their positions."""


class Wakeup:
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


class _Window:
    """The last lines of one shard, without a gap: positions are dense, so a line is found by counting.

    Attributes:
        begin: The position before the first of them; None before any.
        end: The position of the last.
    """

    def __init__(self) -> None:
        self.begin: int | None = None
        self.end = 0
        self._lines: list[Recorded] = []
        self._bytes = 0

    def covers(self, after: int) -> bool:
        """Report whether all lines behind a position, up to its end, are in it."""
        return self.begin is not None and self.begin <= after <= self.end

    def after(self, position: int, limit: int) -> Sequence[Recorded]:
        """Return lines behind a position which it covers."""
        assert self.begin is not None, "it covers the position"
        start = position - self.begin
        return self._lines[start : start + limit]

    def add(self, lines: Sequence[Recorded]) -> None:
        """Take in lines that follow each other; those that do not follow its end begin it anew, if they are later."""
        fresh = [line for line in lines if line.position > self.end]
        if not fresh or fresh[-1].position - fresh[0].position != len(fresh) - 1:
            return
        if self.begin is None or fresh[0].position != self.end + 1:
            self.begin, self._lines, self._bytes = fresh[0].position - 1, [], 0
        self._lines += fresh
        self._bytes += sum(len(line.line) for line in fresh)
        self.end = fresh[-1].position
        self._drop()

    def _drop(self) -> None:
        """Drop the oldest, a quarter at a time at least: what is dropped one by one is moved as often."""
        if len(self._lines) <= KEPT_MAX and self._bytes <= BYTES_MAX:
            return
        while self._lines and (len(self._lines) > KEPT_MAX * 3 // 4 or self._bytes > BYTES_MAX * 3 // 4):
            count = max(1, len(self._lines) // 4)
            self._bytes -= sum(len(line.line) for line in self._lines[:count])
            del self._lines[:count]
        self.begin = self.end - len(self._lines)


class LogTail:
    """What was stored last, in this program or in another; a log that is followed without asking the database."""

    def __init__(self, log: EventLog, feed: Feed, told_first: LinesHeard | None = None, tell_s: float = 0.0) -> None:
        """Read from this log what others store, and hear of it, and tell others, over this feed.

        What this program stores, `told_first` is told before any bell rings. Others are told after `tell_s` seconds,
        once for all that was stored in them.
        """
        self._told_first = told_first
        self._tell_s = tell_s
        self._log = log
        self._feed = feed
        self._reached: defaultdict[int, int] = defaultdict(int)
        self._windows: defaultdict[int, _Window] = defaultdict(_Window)
        self._once = Once()
        self._looked = False
        self._untold: dict[int, int] = {}
        self._telling = Wakeup()
        self._bells: defaultdict[int | None, list[Wakeup]] = defaultdict(list)

    def bell(self, shard: int | None = None) -> Wakeup:
        """Return a new bell that rings when this shard, or any, has grown."""
        bell = Wakeup()
        self._bells[shard].append(bell)
        return bell

    def highest_position(self, shard: int) -> int:
        """Return the highest position heard of in a shard; 0 before any."""
        return self._reached[shard]

    async def positions(self) -> dict[int, int]:
        """Return the last position heard of in each shard. Cost: a query, if nobody has looked yet.

        Raises:
            Unavailable: Nobody has looked yet, and the database does not answer.
        """
        if not self._looked:
            await self._look_once()
        return dict(self._reached)

    async def follow(self, shard: int, after: int, limit: int) -> Sequence[Recorded]:
        """Return lines of a shard behind a position, in order, at most `limit`; none if none is heard of.

        Cost: nothing for what this program stored; otherwise a query, for all who ask at the same time.

        Raises:
            Unavailable: The database has to be asked, and does not answer.
        """
        window = self._windows[shard]
        found = window.after(after, limit) if window.covers(after) else ()
        if found or (self._looked and after >= self._reached[shard]):
            return found
        if window.begin is not None and after < window.end:
            # Behind what is in memory: whoever is so late reads for itself alone.
            return await self._log.follow(shard, after, limit)
        lines = await self._once.get((shard, after), partial(self._log.follow, shard, after, PAGE))
        window.add(lines)
        return lines[:limit]

    async def read(self, stream: str, after: int = 0, limit: int = 100_000) -> list[bytes]:
        """Return the lines of a stream after a version, as the log has them."""
        return await self._log.read(stream, after, limit)

    async def streams_live(self) -> list[str]:
        """Return the streams that have dealt and not ended, as the log has them."""
        return await self._log.streams_live()

    def on_commit(self, shard: int, lines: Sequence[Recorded]) -> None:
        """Note that this program has stored these lines, which follow each other: the hook of the event store."""
        if self._told_first is not None:
            self._told_first(lines)
        window = self._windows[shard]
        if window.begin is None or lines[0].position == window.end + 1:
            # Otherwise others have stored something in between, which a follower finds, with these lines behind it.
            window.add(lines)
        position = lines[-1].position
        # A pass of the event loop later: whoever waits for this commit is answered before anybody follows it.
        asyncio.get_running_loop().call_soon(self._ring, shard, position)
        self._untold[shard] = max(position, self._untold.get(shard, 0))
        self._telling.ring()

    async def run(self) -> None:
        """Hear pokes, send them and look, until cancelled."""
        listening = await self._feed.pokes(self._hear)
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
            if self._untold and self._tell_s:
                await asyncio.sleep(self._tell_s)
            untold, self._untold = self._untold, {}
            # While the bus is away, the others find by looking what they are not told.
            with suppress(Unavailable):
                for shard, position in untold.items():
                    await self._feed.poke(shard, position)

    async def _look(self) -> None:
        while True:
            # While the database is away there is nothing to find.
            with suppress(Unavailable):
                await self._look_once()
            await asyncio.sleep(LOOK_S)

    async def _look_once(self) -> None:
        heard = dict(self._reached)
        for shard, position in (await self._log.positions()).items():
            # What was heard before the log was asked stands in it, or is not so: no poke is believed any longer.
            if position < heard.get(shard, 0) == self._reached[shard]:
                self._reached[shard] = position
            self._ring(shard, position)
        self._looked = True

    def _hear(self, shard: int, position: int) -> None:
        """Take a poke; of a shard that no house has it says nothing."""
        if shard in range(SHARDS):
            self._ring(shard, position)

    def _ring(self, shard: int, position: int) -> None:
        if position <= self._reached[shard]:
            return
        self._reached[shard] = position
        for bell in (*self._bells[shard], *self._bells[None]):
            bell.ring()
