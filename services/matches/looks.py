"""Looks: when a person last looked at each match, and at the house, on any node.

A table that only bots play goes on as long as somebody looks. Each program notes what its own visitors look at, and
tells the others over the bus, a few times a minute for each match; nothing of it is stored. Who cannot know takes it
that somebody looks: while the bus is away, when the program has just begun, and of what is too long ago to remember. A
table ends late, and never under somebody's eyes.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from contextlib import suppress
from typing import Final

from msgspec import Struct

from infra.feed import Feed
from infra.store import Unavailable

HOUSE: Final = "house"
"""What is looked at with every look: whether there is anybody to keep a table for."""
SEEN_MAX: Final = 4_096
"""What is remembered, about a megabyte; of the rest it is known that nobody has looked since the oldest of these."""


class LookPace(Struct, frozen=True):
    """How often looks are shared, in seconds.

    Attributes:
        tell_s: The others are told of one match so often at most: little beside the ten minutes after which a table is
            ended as a rule.
        tick_s: Streams that are open count as a look so often.
    """

    tell_s: float = 20.0
    tick_s: float = 5.0

    @property
    def late_s(self) -> float:
        """How old a look on another node may be before this one hears of it."""
        return self.tell_s + 2 * self.tick_s


class LookTimes(Struct):
    """What is known of one thing: when somebody looked at it last, and when the others were told."""

    at: float
    told_at: float


class Looks:
    """What is looked at, as far as this program knows. Times are those of the event loop, in seconds."""

    def __init__(self, feed: Feed | None = None, pace: LookPace | None = None) -> None:
        """Share looks over this feed, at this pace; without one there is nobody to share them with."""
        self._feed = feed
        self._pace = pace or LookPace()
        self._seen: OrderedDict[str, LookTimes] = OrderedDict()
        self._open: Counter[str] = Counter()
        self._untold: dict[str, None] = {}
        self._floor: float | None = None
        self._telling = asyncio.Event()

    def look(self, what: str) -> None:
        """Note that somebody looks at this now, and so at the house."""
        now = self._now()
        for each in (what, HOUSE):
            seen = self._note(each)
            if now - seen.told_at >= self._pace.tell_s:
                seen.told_at = now
                self._untold[each] = None
                self._telling.set()

    def begin(self, what: str) -> None:
        """Note that somebody begins to look at this, and goes on until `end`."""
        self.look(what)
        self._open[what] += 1

    def end(self, what: str) -> None:
        """Note that somebody has looked until now."""
        self.look(what)
        self._open[what] -= 1
        if not self._open[what]:
            del self._open[what]

    def has_seen(self, what: str) -> bool:
        """Report whether it is known that somebody looked at this, now or before, as far back as it is remembered."""
        return what in self._open or what in self._seen

    def is_unseen(self, what: str, for_s: float) -> bool:
        """Report whether it is known that nobody, on any node, has looked at this for so many seconds."""
        if self._floor is None or what in self._open:
            return False
        seen = self._seen.get(what)
        last = self._floor if seen is None else max(self._floor, seen.at)
        return self._now() - last >= max(for_s, self._pace.late_s)

    async def run(self) -> None:
        """Hear what others tell and tell them, until cancelled. A crash here forgets everything."""
        self._floor = self._now()
        listening = None if self._feed is None else await self._feed.looks(self._hear)
        try:
            while True:
                await self._tick()
        finally:
            if listening is not None:
                await listening.stop()

    async def _tick(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self._pace.tick_s):
                await self._telling.wait()
        self._telling.clear()
        for what in self._open:
            self.look(what)
        if self._feed is not None:
            await self._tell(self._feed)

    async def _tell(self, feed: Feed) -> None:
        if not feed.connected:
            # Nor can others say now what they see.
            self._floor = self._now()
        untold, self._untold = self._untold, {}
        with suppress(Unavailable):
            for what in untold:
                await feed.look(what)

    def _hear(self, what: str) -> None:
        self._note(what)

    def _note(self, what: str) -> LookTimes:
        now = self._now()
        seen = self._seen.setdefault(what, LookTimes(now, now - self._pace.tell_s))
        seen.at = now
        self._seen.move_to_end(what)
        if len(self._seen) > SEEN_MAX:
            _, oldest = self._seen.popitem(last=False)
            self._floor = oldest.at if self._floor is None else max(self._floor, oldest.at)
        return seen

    def _now(self) -> float:
        return asyncio.get_running_loop().time()
