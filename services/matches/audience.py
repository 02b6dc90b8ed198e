"""The audience: which seats somebody listens for, on any node, so that frames are made for those and for no others.

Each program knows its own streams, and tells the others over the bus: at once when a stream begins, when somebody asks,
and a few times a minute while it goes on, for all its seats together. What was told holds for a while and then lapses,
so a program that dies is forgotten. Nothing of it is stored, and nothing depends on it but when a frame comes: a seat
that is not known to be there gets its frame a moment later, made from the log, since the spectators' frame says that
there is one (`services.matches.reads.frame_buffer`). Who has just begun to hear, or has lost the bus, takes it that
everybody is there.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from msgspec import Struct

from domain.ids import Seat
from infra.feed import Feed, ListenedSeat
from infra.store import Unavailable

SEATS_MAX: Final = 512
"""Seats told of in one message, some twenty kilobytes."""


class AudiencePace(Struct, frozen=True):
    """How often the audience is told, in seconds.

    Attributes:
        tell_s: A stream that goes on is told of so often.
        lapse_s: What was told holds for so long: two messages may be lost.
        answer_s: The others have answered so long after they were asked, unless a message was lost.
    """

    tell_s: float = 5.0
    lapse_s: float = 16.0
    answer_s: float = 1.0


class Audience:
    """Whoever listens for a seat, as far as this program knows. Times are those of the event loop, in seconds."""

    def __init__(self, feed: Feed, pace: AudiencePace | None = None) -> None:
        """Share it over this feed, at this pace."""
        self._feed = feed
        self._pace = pace or AudiencePace()
        self._here: Counter[ListenedSeat] = Counter()
        self._elsewhere: dict[ListenedSeat, float] = {}
        self._untold: dict[ListenedSeat, None] = {}
        self._asked = False
        self._knows_from: float | None = None
        self._telling = asyncio.Event()

    def begin(self, match: str, seat: Seat) -> None:
        """Note that a stream of this program begins, and goes on until `end`."""
        self._here[match, seat] += 1
        if self._here[match, seat] == 1:
            self._untold[match, seat] = None
            self._telling.set()

    def end(self, match: str, seat: Seat) -> None:
        """Note that it has ended."""
        self._here[match, seat] -= 1
        if not self._here[match, seat]:
            del self._here[match, seat]

    def is_there(self, match: str, seat: Seat) -> bool:
        """Report whether somebody listens for this seat, or may: it takes some seconds to know of everybody."""
        listened = (match, seat)
        if listened in self._here or self._is_learning():
            return True
        until = self._elsewhere.get(listened)
        return until is not None and self._now() < until

    def known_at(self, match: str) -> frozenset[Seat]:
        """Return the seats of a match, or the entrants of a tournament, for which somebody is known to listen."""
        now = self._now()
        there = {seat for of, seat in self._here if of == match}
        return frozenset(there | {seat for (of, seat), until in self._elsewhere.items() if of == match and until > now})

    def _is_learning(self) -> bool:
        """Report whether others may not have said yet whom they have. Once they have, no clock is looked at."""
        if self._knows_from is None:
            return True
        if self._knows_from and self._now() >= self._knows_from:
            self._knows_from = 0.0
        return self._knows_from > 0.0

    async def run(self) -> None:
        """Hear what others tell and tell them, until cancelled. A crash here forgets everything."""
        listening = await self._feed.listeners(self._hear)
        try:
            await self._ask()
            while True:
                await self._tick()
        finally:
            self._knows_from = None
            await listening.stop()

    async def _tick(self) -> None:
        """Wait until there is something to tell, or it is time to tell of all."""
        try:
            async with asyncio.timeout(self._pace.tell_s):
                await self._telling.wait()
            untold = list(self._untold)
        except TimeoutError:
            untold = list(self._here)
            self._forget_lapsed()
        self._telling.clear()
        self._untold.clear()
        if not (self._asked and self._feed.connected):
            # Nor can others have said of late whom they have.
            await self._ask()
        with suppress(Unavailable):
            for start in range(0, len(untold), SEATS_MAX):
                await self._feed.attend(untold[start : start + SEATS_MAX])

    async def _ask(self) -> None:
        """Ask the others whom they have, again and again until the question has gone out."""
        self._asked, self._knows_from = False, self._now() + self._pace.lapse_s
        with suppress(Unavailable):
            await self._feed.attend(())
            self._asked, self._knows_from = True, self._now() + self._pace.answer_s

    def _forget_lapsed(self) -> None:
        now = self._now()
        self._elsewhere = {listened: until for listened, until in self._elsewhere.items() if until > now}

    def _hear(self, seats: Sequence[ListenedSeat]) -> None:
        until = self._now() + self._pace.lapse_s
        self._elsewhere.update(dict.fromkeys(seats, until))
        if not seats and self._here:
            self._untold.update(dict.fromkeys(self._here))
            self._telling.set()

    def _now(self) -> float:
        return asyncio.get_running_loop().time()
