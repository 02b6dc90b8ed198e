"""The heart of a dealer: it beats while somebody is there to stop clocks, and tells when nobody was.

A service that is down, a laptop that sleeps, a program that is stopped, a clock that leaps forward: it is one thing to
those who were waited for, time in which they could do nothing. A beat leaves word of the time in the store, where all
dealers of a house leave it; whoever finds the last one too long ago gives back what went by, to each match before
anything else happens in it, whoever asks for that.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from typing import Final

import structlog
from msgspec import Struct

from domain.ids import UnixMs
from infra import clock
from infra.clock import now_ms
from infra.store import BEAT_AHEAD_MAX_MS, Heartbeats, Unavailable

BEAT_S: Final = 1.0
MISSED_MS: Final = 2_000
"""How long ago somebody may have left word, in milliseconds, before it counts that nobody was there."""
STALLED_MS: Final = 5_000
"""How long this process may not have come to its beat: it may be slow, and it is no time to do more work."""
GAPS_KEPT: Final = 8
"""How many gaps are remembered for matches that come late with a time inside of one."""

log = structlog.get_logger(__name__)


class Gap(Struct, frozen=True):
    """Time in which nobody was there, from `last` to `end`, in Unix milliseconds."""

    last: int
    end: int

    @property
    def ms(self) -> int:
        """How long it was, in milliseconds."""
        return self.end - self.last

    def lost_ms(self, at: UnixMs) -> int:
        """Return how much of it a match has lost that moved last at this time, in milliseconds.

        None where somebody was there since: another dealer, who found the same gap a moment earlier, has given it back.
        """
        lost_ms = self.end - max(self.last, at)
        return lost_ms if lost_ms > MISSED_MS else 0


class Heart:
    """Whether somebody is there, in this process, and since when.

    Attributes:
        since: Since when somebody has been there without a gap, in Unix milliseconds.
        gap: What is being given back, until all have it back.
        beginnings: How often whoever follows had to begin anew: at the start, after nobody was there, and when the
            clock of another was found ahead.
    """

    def __init__(self, store: Heartbeats) -> None:
        """Leave word in this store."""
        self._store = store
        self._beaten_at: UnixMs | None = None
        self._noticing = asyncio.Lock()
        self._has_begun = asyncio.Event()
        self._gaps: deque[Gap] = deque(maxlen=GAPS_KEPT)
        self.since = now_ms()
        self.gap: Gap | None = None
        self.beginnings = 0

    def has_missed(self) -> bool:
        """Report whether nobody was there just now, as far as this process knows. Cost: a look at the clock."""
        return self._beaten_at is None or now_ms() - self._beaten_at > STALLED_MS

    def beat(self) -> None:
        """Note that somebody is there now."""
        self._beaten_at = now_ms()

    async def find_gap(self) -> Gap | None:
        """Be there, and return what is to be given back to matches that have not moved since; None if nothing is.

        Where there is a gap, the store is told nothing until `note_given_back`, so that a crash in between leaves it to
        be found again. Cost: a query where nobody was there, and otherwise nothing; in a house that is new, one more.

        Raises:
            Unavailable: The store does not answer.
        """
        if self.has_missed():
            async with self._noticing:
                if self.has_missed():
                    await self._begin()
        return self.gap

    async def _begin(self) -> None:
        # In a house that is so new that nobody has left word, the first is of now, before anybody is waited for.
        last = await self._store.last_heartbeat() or await self._store.heartbeat(now_ms())
        if last <= now_ms() + BEAT_AHEAD_MAX_MS:
            clock.HOUSE.advance_to(last)
        self.beat()
        self._has_begun.set()
        self.beginnings += 1
        gap = Gap(last, now_ms())
        if gap.ms > MISSED_MS:
            self.since, self.gap = gap.end, gap
            self._remember(gap)
            log.info("dealer.was_away", for_ms=gap.ms)
        else:
            # Others were there, or clocks of theirs have leapt as well, maybe in a life of this one before: here nobody
            # was waited for in that time.
            self.since = now_ms()

    def _remember(self, gap: Gap) -> None:
        """Remember a gap, but for what an earlier one has of it: no time is lost twice."""
        end = self._gaps[-1].end if self._gaps else 0
        self._gaps.append(Gap(max(gap.last, end), gap.end))

    def lost_ms(self, at: UnixMs) -> int:
        """Return how much time a match has lost that moved last at this time, in milliseconds. Cost: a few comparisons.

        That goes for one that moves after all others have theirs back, too: another process, which has not heard yet
        that it is later, may let a clock begin at a time inside of a gap.
        """
        return sum(gap.lost_ms(at) for gap in self._gaps if at < gap.end)

    def uncounted_ms(self, since: int) -> int:
        """Return how much of the time since then does not count, because nobody was there to keep it."""
        return max(0, self.since - since)

    def note_given_back(self, beginning: int) -> None:
        """Note that everybody has the time back that had gone by at this beginning."""
        if beginning == self.beginnings:
            self.gap = None

    async def run_beside(self) -> None:
        """Beat until cancelled beside a process that gives back what a gap has taken, and leaves word of it.

        Here commands are taken and nobody is acted for, so word that somebody is there is the other's to leave, but for
        the first of a house.
        """
        async with asyncio.TaskGroup() as group:
            group.create_task(self._beat_on())
            group.create_task(self._hear_words())

    async def _hear_words(self) -> None:
        while True:
            with suppress(Unavailable):
                await self.hear_word()
            await asyncio.sleep(BEAT_S)

    async def hear_word(self) -> None:
        """Hear whether a gap is given back, which it is before anybody leaves word, and how late it is with others.

        Raises:
            Unavailable: The store does not answer.
        """
        last = await self._store.last_heartbeat()
        if last is None or last > now_ms() + BEAT_AHEAD_MAX_MS:
            return
        if self.gap is not None and last > self.gap.end:
            self.gap = None
        if last > now_ms() + MISSED_MS:
            self._skip_to(last)

    async def run(self) -> None:
        """Beat until cancelled. A gap is left as it is for those who ask whether there was one."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._beat_on())
            group.create_task(self._leave_words())

    async def _beat_on(self) -> None:
        while True:
            await asyncio.sleep(BEAT_S)
            if not self.has_missed():
                self.beat()

    async def _leave_words(self) -> None:
        """Leave word for others, however long the store takes to hear it, from when on somebody is there."""
        await self._has_begun.wait()
        while True:
            await self.leave_word()
            await asyncio.sleep(BEAT_S)

    async def leave_word(self) -> None:
        """Tell the store that somebody is there, and hear how late it is with others of this house."""
        if self.gap is not None or self.has_missed():
            return
        try:
            newest = await self._store.heartbeat(now_ms())
        except Unavailable:
            # While nothing can be stored nobody can act, be somebody here or not.
            self._beaten_at = None
            return
        if newest > now_ms() + MISSED_MS:
            # Times that others were given are to come here as well: whoever follows begins anew.
            self._skip_to(newest)
            self._begin_anew()

    def hear_time(self, at: UnixMs) -> None:
        """Hear the time of a line: one that others were given is to come here as well, though nobody left word of it.

        So it is where a clock had leapt ahead, and whoever wrote by it was killed before the next beat.
        """
        if now_ms() + MISSED_MS < at <= now_ms() + BEAT_AHEAD_MAX_MS:
            self._skip_to(at)
            if self._has_begun.is_set():
                self._begin_anew()

    def _skip_to(self, at: UnixMs) -> None:
        """Let it be as late as it is with others: what is skipped was no time to whoever was waited for here.

        A process that has not begun finds what it has to give back as it begins. What is no longer than one may be slow
        is let go, as everywhere: the clocks of two machines are never quite the same.
        """
        before = now_ms()
        clock.HOUSE.advance_to(at)
        if self._beaten_at is not None and now_ms() - before > STALLED_MS:
            self._remember(Gap(before, now_ms()))

    def _begin_anew(self) -> None:
        """Let whoever follows begin anew, at a time that is later than it was a moment ago."""
        self.since = now_ms()
        self.beginnings += 1
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
