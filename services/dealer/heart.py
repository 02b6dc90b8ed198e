"""The heart of a dealer: it beats while somebody is there to stop clocks, and tells when nobody was.

A service that is down, a laptop that sleeps, a program that is stopped, a clock that leaps forward: it is one thing to
those who were waited for, time in which they could do nothing. A beat leaves word of the time in the store, where all
dealers of a house leave it; whoever finds the last one too long ago gives back what went by.
"""

from __future__ import annotations

import asyncio
from typing import Final

import structlog
from msgspec import Struct

from infra import clock
from infra.clock import now_ms
from infra.events import BEAT_AHEAD_MAX_MS, EventStore, Unavailable

BEAT_S: Final = 1.0
MISSED_MS: Final = 2_000
"""How long ago the last beat may be, in milliseconds, before it counts that nobody was there."""

log = structlog.get_logger(__name__)


class Gap(Struct, frozen=True):
    """Time in which nobody was there, in milliseconds, and when somebody was there last, in Unix milliseconds."""

    last: int
    ms: int


class Heart:
    """Whether somebody is there, in this process, and since when.

    Attributes:
        since: Since when somebody has been there without a gap, in Unix milliseconds.
    """

    def __init__(self, store: EventStore) -> None:
        """Leave word in this store."""
        self._store = store
        self._beaten_at: int | None = None
        self._gives_back = False
        self.since = now_ms()

    def has_missed(self) -> bool:
        """Report whether nobody was there just now, as far as this process knows. Cost: a look at the clock."""
        return self._beaten_at is None or now_ms() - self._beaten_at > MISSED_MS

    def beat(self) -> None:
        """Note that somebody is there now."""
        self._beaten_at = now_ms()

    async def resumed(self) -> Gap | None:
        """Begin to beat, or begin again, and return for how long nobody was there; None if somebody always was.

        Until `has_given_back` the store is told nothing, so that a crash in between leaves the gap to be found again.

        Raises:
            Unavailable: The store does not answer.
        """
        last = await self._store.last_heartbeat()
        if last is not None and last <= now_ms() + BEAT_AHEAD_MAX_MS:
            clock.HOUSE.not_before(last)
        self.beat()
        now = now_ms()
        if last is None or now - last <= MISSED_MS:
            await self._leave_word()
            return None
        self.since, self._gives_back = now, True
        log.info("dealer.was_away", for_ms=now - last)
        return Gap(last, now - last)

    def has_given_back(self) -> None:
        """Note that everybody has the time back that went by."""
        self._gives_back = False

    async def run(self) -> None:
        """Beat until cancelled. A gap is left as it is for whoever gives time back, who asks for it."""
        while True:
            await asyncio.sleep(BEAT_S)
            if not self.has_missed():
                self.beat()
                await self._leave_word()

    async def _leave_word(self) -> None:
        """Tell the store that somebody was there, and hear how late it is with others of this house."""
        if self._gives_back:
            return
        try:
            newest = await self._store.heartbeat(now_ms())
        except Unavailable:
            # While nothing can be stored nobody can act, be somebody here or not.
            self._beaten_at = None
            return
        if newest > now_ms() + MISSED_MS:
            clock.HOUSE.not_before(newest)
            self.since = now_ms()
            self.beat()

    async def trouble(self) -> str | None:
        """Return what an operator should know of the time in this house, if anything."""
        ahead_ms = clock.HOUSE.ahead_ms()
        if ahead_ms <= MISSED_MS:
            return None
        return (
            f"this machine's clock is {ahead_ms // 1000} s behind what it, or another of this house, has said before;"
            " time goes on from there, a little slower"
        )
