"""Crowds: how many people watch a match, on any node.

The law of the file: counted is who follows a match and holds no seat, so nothing is told of whoever plays. One browser
of one network counts once, however often it comes back and whatever of it still hangs; so people who share an address
and a kind of browser are counted as one, and one network as `EACH_MAX` at most. Each program tells the others over the
bus who watches there, as short hashes that say nothing of an address without it; what was told lapses, so a program
that dies is forgotten, and while the bus is away each knows of its own alone. Nothing of it is stored, and nothing of a
match is looked at: how many watch hangs on no die.
"""

from __future__ import annotations

import asyncio
import hashlib
from array import array
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from cachetools import LRUCache
from msgspec import Struct

from infra.entropy import draw as draw_chance
from infra.feed import Feed
from infra.store import Unavailable

EACH_MAX: Final = 64
"""How many of one network are counted at a match: a school, and no army made up on one machine."""
BROWSER_MAX: Final = 256
MATCHES_MAX: Final = 4_096
"""Matches of which it is remembered who watches them elsewhere."""
PROGRAMS_MAX: Final = 64
NAME_BYTES: Final = 8
"""What a message begins with: who tells it."""
HASH: Final = "I"
"""Watchers are four bytes each: of 7,000, as many as a house streams to, a hundredth of one is lost to another."""

Watcher = int
"""Whoever watches a match, as a hash."""


class CrowdPace(Struct, frozen=True):
    """How often crowds are told, in seconds.

    Attributes:
        change_s: What has changed is told so often at most.
        tell_s: What has not is told so often.
        lapse_s: What was told holds for so long.
    """

    change_s: float = 2.0
    tell_s: float = 20.0
    lapse_s: float = 50.0


class ToldCrowd(Struct, frozen=True):
    """Who watches a match at another program, and until when that holds."""

    watchers: frozenset[Watcher]
    until: float


class Crowds:
    """Who watches which match, as far as this program knows. Times are those of the event loop, in seconds."""

    def __init__(
        self, feed: Feed | None = None, pace: CrowdPace | None = None, draw: Callable[[int], bytes] = draw_chance
    ) -> None:
        """Share it over this feed, at this pace; without one there is nobody to share it with."""
        self._feed = feed
        self._pace = pace or CrowdPace()
        self._name = draw(NAME_BYTES)
        self._here: dict[str, Counter[Watcher]] = {}
        self._of_network: Counter[tuple[str, str]] = Counter()
        self._networks: dict[tuple[str, Watcher], str] = {}
        self._elsewhere: LRUCache[str, dict[bytes, ToldCrowd]] = LRUCache(MATCHES_MAX)
        self._changed: dict[str, None] = {}
        self._telling = asyncio.Event()

    def begin(self, match: str, network: str, browser: str) -> Callable[[], None]:
        """Note that somebody begins to watch a match, until what this returns is called."""
        here = self._here.setdefault(match, Counter())
        watcher = _hash(f"{match} {network} {browser[:BROWSER_MAX]}")
        if watcher not in here:
            if self._of_network[match, network] >= EACH_MAX:
                return _nothing
            self._of_network[match, network] += 1
            self._networks[match, watcher] = network
            self._change(match)
        here[watcher] += 1
        return lambda: self._end(match, watcher)

    def _end(self, match: str, watcher: Watcher) -> None:
        here = self._here[match]
        here[watcher] -= 1
        if here[watcher]:
            return
        del here[watcher]
        # Two may have one hash: whoever was counted is credited, and not whoever leaves last.
        network = self._networks.pop((match, watcher))
        self._of_network[match, network] -= 1
        if not self._of_network[match, network]:
            del self._of_network[match, network]
        if not here:
            del self._here[match]
        self._change(match)

    def count(self, match: str) -> int:
        """Return how many watch a match."""
        here, others = self._here.get(match), self._elsewhere.get(match)
        if not others:
            return len(here or ())
        now = _now()
        return len(frozenset(here or ()).union(*(told.watchers for told in others.values() if told.until > now)))

    async def run(self) -> None:
        """Hear what others tell and tell them, until cancelled. A crash here forgets everything."""
        if self._feed is None:
            return
        listening = await self._feed.crowds(self._hear)
        told_all_at = _now()
        try:
            while True:
                with suppress(TimeoutError):
                    async with asyncio.timeout(max(0.0, told_all_at + self._pace.tell_s - _now())):
                        await self._telling.wait()
                if _now() >= told_all_at + self._pace.tell_s:
                    told_all_at = _now()
                    self._changed |= dict.fromkeys(self._here)
                await self._tell(self._feed)
                await asyncio.sleep(self._pace.change_s)
        finally:
            await listening.stop()

    async def _tell(self, feed: Feed) -> None:
        changed, self._changed = self._changed, {}
        self._telling.clear()
        with suppress(Unavailable):
            for match in changed:
                await feed.look(match, self._name + array(HASH, self._here.get(match, ())).tobytes())

    def _hear(self, match: str, told: bytes) -> None:
        name, watchers = told[:NAME_BYTES], told[NAME_BYTES:]
        if name == self._name or len(watchers) % array(HASH).itemsize:
            return
        others = self._elsewhere.setdefault(match, {})
        others.pop(name, None)
        if watchers and len(others) < PROGRAMS_MAX:
            others[name] = ToldCrowd(frozenset(array(HASH, watchers)), _now() + self._pace.lapse_s)

    def _change(self, match: str) -> None:
        self._changed[match] = None
        self._telling.set()


def _nothing() -> None:
    """Nobody was counted."""


def _hash(text: str) -> Watcher:
    return int.from_bytes(hashlib.blake2s(text.encode(), digest_size=4).digest())


def _now() -> float:
    return asyncio.get_running_loop().time()
