"""The heart of a dealer: it beats while somebody is there to stop clocks, and tells when nobody was.

A service that is down, a laptop that sleeps, a program that is stopped, a clock that leaps forward: it is one thing to
those who were waited for, time in which they could do nothing. A beat leaves word of the time in the store, where all
dealers of a house leave it. Whoever begins leaves word as well, before anything is decided by the later time, and what
lies between it and the word before is kept as a gap, in one statement. A process knows the gaps as of its own last
beat, and a match whose clock has run through one has it back before anything else happens in it, whoever asks for that.
So it makes no difference who dies when.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from typing import Final
from uuid import UUID

import structlog
from msgspec import Struct

from domain import commands
from domain.errors import Refused
from domain.ids import UnixMs
from domain.match.evolve import Match
from domain.match.powers import away_since
from infra import clock
from infra.clock import now_ms
from infra.store import BEAT_AHEAD_MAX_MS, MISSED_MS, Heartbeats, Unavailable, WordsLeft
from services.matches.optimistic import TRIES_MAX
from services.matches.reads.queries import CachedMatch
from services.matches.requests import Answer, CommandMetadata, People
from services.matches.turns import Turns

BEAT_S: Final = 1.0
BEGINS_MAX: Final = 3
"""How often a process begins where that takes so long that its clock may have leapt meanwhile, or the store is slow."""
STALLED_MS: Final = 5_000
"""How long this process may not have come to its beat: it may be slow, and it is no time to do more work."""

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
        gap: What went by before the last beginning while nobody was there; None where that was nothing.
        beginnings: How often whoever follows had to begin anew: at the start, after nobody was there, and when the
            clock of another was found ahead.
    """

    def __init__(self, store: Heartbeats, *, keeps: bool = True) -> None:
        """Leave word in this store, where this process `keeps` the time and does not only take commands beside one."""
        self._store, self._keeps = store, keeps
        self._beaten_at: UnixMs | None = None
        self._noticing = asyncio.Lock()
        self._has_begun = asyncio.Event()
        self._gaps: tuple[Gap, ...] = ()
        self.since = now_ms()
        self.gap: Gap | None = None
        self.beginnings = 0

    def has_missed(self) -> bool:
        """Report whether nobody was there just now, as far as this process knows. Cost: a look at the clock."""
        return self._has_missed(now_ms())

    def _has_missed(self, at: UnixMs) -> bool:
        return self._beaten_at is None or at - self._beaten_at > STALLED_MS

    def beat(self) -> None:
        """Note that somebody is there now."""
        self._beaten_at = now_ms()

    async def find_gap(self) -> Gap | None:
        """Be there, and return what went by while nobody was; None if nothing did.

        Cost: a query where nobody was there, and otherwise nothing.

        Raises:
            Unavailable: The store does not answer.
        """
        if self.has_missed():
            async with self._noticing:
                if self.has_missed():
                    await self._begin()
        return self.gap

    async def _begin(self) -> None:
        at, words = await self._words()
        for _ in range(BEGINS_MAX - 1):
            if now_ms() - at > STALLED_MS:
                at, words = await self._words()
        self._skip_to(words.last)
        gaps = [*words.gaps, *([] if at - words.last <= MISSED_MS else [(words.last, at)])]
        self._learn(gaps)
        self.gap = Gap(*gaps[-1]) if gaps and gaps[-1][1] == at else None
        if self.gap is not None:
            log.info("dealer.was_away", for_ms=self.gap.ms)
        # Be there a gap or not, here nobody was waited for until now: others were there, or clocks of theirs have leapt
        # as well, maybe in a life of this one before.
        self.since = now_ms()
        self.beginnings += 1
        self.beat()
        self._has_begun.set()

    async def _words(self) -> tuple[UnixMs, WordsLeft]:
        """Return the time, and who was there when.

        Who only takes commands leaves no word, and keeps a gap to itself until it hears of whoever does. But in a house
        so new that nobody was ever there, anybody leaves the first, before anybody is waited for.
        """
        at = now_ms()
        words = None if self._keeps else await self._store.last_words()
        return at, await self._store.heartbeat(at, at) if words is None else words

    def _learn(self, gaps: Sequence[tuple[int, int]]) -> None:
        """Know these gaps, but for those that a clock made which was never right."""
        self._gaps = tuple(Gap(*gap) for gap in gaps if gap[1] <= now_ms() + MISSED_MS)

    def lost_ms(self, at: UnixMs) -> int:
        """Return how much time a match has lost that moved last at this time, in milliseconds.

        That goes for one that moves late, too: another process, which has not heard yet that it is later, may let a
        clock begin at a time inside of a gap. Cost: a comparison, where the match has moved since.
        """
        lost_ms = 0
        for gap in reversed(self._gaps):
            if at >= gap.end:
                break
            lost_ms += gap.lost_ms(at)
        return lost_ms

    def uncounted_ms(self, since: int) -> int:
        """Return how much of the time since then does not count, because nobody was there to keep it."""
        return max(0, self.since - since)

    async def run_beside(self) -> None:
        """Beat until cancelled beside a process that leaves word.

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
        """Hear how late it is with others, and of gaps; one that was found here is its own until others were there.

        Raises:
            Unavailable: The store does not answer.
        """
        beginnings, words = self.beginnings, await self._store.last_words()
        if words is not None and (self.gap is None or words.last >= self.gap.end):
            self._hear(words, beginnings)

    def _hear(self, words: WordsLeft, beginnings: int) -> None:
        """Hear what is known, but for an answer that comes later than that of a beginning after it was asked for."""
        if beginnings == self.beginnings:
            self.hear_time(words.last)
            self._learn(words.gaps)

    async def run(self) -> None:
        """Beat, and leave word, until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._beat_on())
            group.create_task(self._leave_words())

    async def _beat_on(self) -> None:
        while True:
            await asyncio.sleep(BEAT_S)
            at = now_ms()
            if not self._has_missed(at):
                self._beaten_at = at

    async def _leave_words(self) -> None:
        """Leave word for others, however long the store takes to hear it, from when on somebody is there."""
        await self._has_begun.wait()
        while True:
            await self.leave_word()
            await asyncio.sleep(BEAT_S)

    async def leave_word(self) -> None:
        """Tell the store that somebody is there, and hear how late it is with others of this house."""
        at, beginnings = now_ms(), self.beginnings
        if self._has_missed(at):
            return
        try:
            self._hear(await self._store.heartbeat(at), beginnings)
        except Unavailable:
            # While nothing can be stored nobody can act, be somebody here or not.
            self._beaten_at = None

    def hear_time(self, at: UnixMs) -> None:
        """Hear a time that others were given, from a word or from a line: it is to come here as well.

        A line may be of somebody whose clock had leapt ahead, and who was killed before the next word. Where it is
        later than here, whoever follows begins anew, with all gaps that are known then.
        """
        if self._skip_to(at):
            self.since, self._beaten_at = now_ms(), None

    def _skip_to(self, at: UnixMs) -> bool:
        """Let it be at least this time, and report whether it was earlier; a clock a day ahead was never right."""
        is_later = now_ms() + MISSED_MS < at <= now_ms() + BEAT_AHEAD_MAX_MS
        if is_later:
            clock.HOUSE.advance_to(at)
        return is_later

    async def trouble(self) -> str | None:
        """Return what an operator should know of the time in this house, if anything."""
        ahead_ms = clock.HOUSE.ahead_ms()
        if ahead_ms <= MISSED_MS:
            return None
        return (
            f"this machine's clock is {ahead_ms // 1000} s behind what it, or another of this house, has said before;"
            " time goes on from there, a little slower"
        )


class GivesBack(ABC):
    """Matches whose clocks lose nothing while nobody is there.

    The law: whoever decides a command looks first whether a clock has run through a gap. So it makes no difference who
    comes first to a match, its dealer or a player, nor how long ago the gap was found.
    """

    _heart: Heart | None
    _turns: Turns

    @abstractmethod
    async def load_match(self, match_id: UUID, at_least: int | None = None) -> CachedMatch:
        """Return the match as of the last line in the store."""

    @abstractmethod
    async def _cached_or_loaded(self, match_id: UUID) -> CachedMatch:
        """Return the match as it is in memory, or else as of the last line in the store."""

    @abstractmethod
    async def _attempt(
        self, match_id: UUID, hosted: CachedMatch, command: commands.MatchCommand, ask: CommandMetadata, people: People
    ) -> Answer | None:
        """Decide and append once; return None if somebody else was first."""

    async def load_in_time(self, match_id: UUID, at_least: int | None = None) -> CachedMatch:
        """Return a match that has come at least so far, and whose clock has run through no gap.

        Cost: that of `load_match`; where time was lost, a commit more.

        Raises:
            UnknownMatch: There is no such match.
            Unavailable: The store does not answer, or others are always first.
            Unreadable: This program cannot read the match.
        """
        hosted = await self.load_match(match_id, at_least)
        await self._be_there(hosted.match)
        if self._lost_ms(hosted.match) == 0:
            return hosted
        async with self._turns.of(match_id):
            return await self._in_time(match_id, hosted)

    async def _cached_in_time(self, match_id: UUID) -> CachedMatch:
        """Return the match as it is in memory, once its clock has run through no gap; its turn is held already."""
        hosted = await self._cached_or_loaded(match_id)
        await self._be_there(hosted.match)
        return await self._in_time(match_id, hosted)

    async def _in_time(self, match_id: UUID, hosted: CachedMatch) -> CachedMatch:
        """Move a clock that has run through a gap, and return the match after that. A crash leaves the gap to find.

        Where somebody else is quicker the match is read again, and has its time or is given it.
        """
        for _ in range(TRIES_MAX):
            lost_ms = self._lost_ms(hosted.match)
            if lost_ms == 0:
                return hosted
            ask = CommandMetadata("table", f"give-back-{match_id}-{hosted.version}", b"", (hosted.version,))
            await self._attempt(match_id, hosted, commands.GiveBack(lost_ms), ask, ())
            hosted = await self.load_match(match_id)
            await self._be_there(hosted.match)
        raise Unavailable("others were first too often")

    async def _be_there(self, match: Match) -> None:
        """Find out whether nobody was there until now: nothing is decided by a clock before that is known.

        Nor before it is known how late it is where a match has a line of later than here: a clock that begins with the
        next would begin with that line, and whoever is next would pay for all the time since.
        """
        if self._heart is not None:
            self._heart.hear_time(match.at)
            await self._heart.find_gap()

    def _lost_ms(self, match: Match) -> int:
        """Return how long the clock of a match ran on while nobody was there to stop it, in milliseconds."""
        if self._heart is None or match.ended or match.clocks is None or match.clocks.running is None:
            return 0
        return self._heart.lost_ms(match.at)

    def _check_away(self, match: Match, command: commands.MatchCommand, at: UnixMs) -> None:
        """Check that a seat has kept the table waiting for long enough while somebody was there.

        The rules count from when a turn began: the log knows gaps only as time that a clock is given back.

        Raises:
            Refused: `not_away`, to a host who would have a bot stand in.
        """
        absence = match.absence
        if not isinstance(command, commands.StandInFor) or self._heart is None or absence is None:
            return
        since = None if command.who in absence.turns else away_since(match, command.who)
        if since is not None and at < since + self._heart.lost_ms(absence.turn_since):
            raise Refused("not_away")

    def _has_leapt(self, match: Match, command: commands.MatchCommand) -> bool:
        """Report whether time was lost since it was given back to a match that a command is about to be decided on."""
        if self._heart is None:
            return False
        return self._heart.has_missed() or (not isinstance(command, commands.GiveBack) and self._lost_ms(match) > 0)
