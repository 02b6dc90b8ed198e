"""The house bots at work: they follow the log, and act when it is the turn of one of them.

They keep nothing but places in the log, and the last receipt of each match, which they hold against the log before they
act again. Whoever takes over after a crash finds the same turns, and since a bot's
command is named after its match, seat and version, no turn is taken twice.
"""

from __future__ import annotations

import asyncio
import heapq
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Protocol
from uuid import UUID

import structlog
from msgspec import Struct

from domain import commands
from domain.errors import Refused
from domain.log.canonical import head as head_of
from domain.match import Match, is_dealing
from domain.record import stream_of
from infra.clock import now_ms
from infra.entropy import draw
from infra.events import Unavailable
from projections.view import View
from services.alone import Stuck
from services.bots.choosing import CHANCE_BYTES, choose
from services.bots.manner import Manner, manner_of
from services.keeping import AnotherHistory
from services.library import Hosted
from services.matches import Answer, Ask, KeyUsed, VersionPassed
from services.touched import Log, Touched
from services.waits import Waits

IDLE_S: Final = 0.25
"""How long the bots sleep when nothing wakes them."""
AGAIN_MS: Final = 1_000
"""After how long a bot tries again when the store could not take its command."""
RECEIPTS_MAX: Final = 4_096
"""Matches whose last receipt is kept; the last vouches for all lines before it."""
AT_ONCE_MAX: Final = 16
"""Bots that act at the same time."""

Chooses = Callable[[View, Manner, bytes], commands.Play | None]
"""How a turn is decided: from what the seat sees, its manner, and chance."""

NAME: Final = "bots"
"""What they are called among the works that may get stuck."""

log = structlog.get_logger(__name__)


class Turn(Struct, frozen=True, order=True):
    """A bot's turn: when it has thought enough, in Unix milliseconds, and at which version it is to act."""

    at: int
    match: UUID
    seat: int
    version: int

    @property
    def ask(self) -> Ask:
        """What the turn's command is stored under: the same, whichever process takes the turn."""
        return Ask("bots", f"bot-{self.match}-{self.seat}-{self.version}", b"", (self.version,))


class LiveLog(Log, Protocol):
    """Where turns come from."""

    async def streams_live(self) -> list[str]:
        """Return the streams that have dealt and not ended."""

    async def read(self, stream: str, after: int = 0, limit: int = 100_000) -> list[bytes]:
        """Return lines of a stream from a version on."""


class Table(Protocol):
    """Where bots sit."""

    async def hosted(self, match_id: UUID, at_least: int | None = None) -> Hosted:
        """Return the match as of the last line in the store."""

    async def view(self, match_id: UUID, seat: int | None) -> View:
        """Return the match as this seat sees it now."""

    async def submit(self, match_id: UUID, command: commands.MatchCommand, ask: Ask) -> Answer:
        """Decide a command and store what it leads to."""


class Waker(Protocol):
    """Whatever can wake the bots early."""

    async def wait(self, timeout_s: float) -> None:
        """Return when something was stored, or after the time."""


class Bots:
    """Every house bot of this process."""

    def __init__(
        self,
        store: LiveLog,
        matches: Table,
        waker: Waker,
        pause_ms: int,
        chooses: Chooses = choose,
        stuck: Stuck | None = None,
    ) -> None:
        """Find turns in this log, and think so long, and in this way, before each.

        `stuck` is told at which tables they cannot go on.
        """
        self._stuck = stuck or Stuck()
        self._chooses = chooses
        self._store = store
        self._matches = matches
        self._waker = waker
        self._pause_ms = pause_ms
        self._turns: list[Turn] = []
        self._touched = Touched(store)
        self._waits = Waits(NAME)
        self._receipts: OrderedDict[UUID, Answer] = OrderedDict()

    async def run(self) -> None:
        """Play until cancelled. After trouble with the store it starts like after a crash: from the log.

        Raises:
            AnotherHistory: The log does not say what was signed.
        """
        while True:
            try:
                await self._play()
            except Unavailable as trouble:
                await self._waits.out(trouble)

    async def _play(self) -> None:
        await self._touched.begin()
        self._turns = []
        for stream in await self._store.streams_live():
            with self._stuck.alone(NAME, stream):
                await self._look_at(stream)
        while True:
            for stream, version in (await self._touched.look()).items():
                with self._stuck.alone(NAME, stream):
                    await self._look_at(stream, version)
            self._waits.over()
            await self._act()
            await self._waker.wait(self._sleep_s())

    async def _look_at(self, stream: str, version: int | None = None) -> None:
        hosted = await self._matches.hosted(UUID(stream.removeprefix("match/")), version)
        turn = turn_of(hosted.match, self._pause_ms)
        if turn is not None and turn not in self._turns:
            heapq.heappush(self._turns, turn)

    def _sleep_s(self) -> float:
        wait_ms = self._turns[0].at - now_ms() if self._turns else IDLE_S * 1_000
        return min(IDLE_S, max(0.0, wait_ms / 1_000))

    async def _act(self) -> None:
        """Take the turns that are due, several at a time."""
        while self._turns and self._turns[0].at <= now_ms():
            due = [heapq.heappop(self._turns) for _ in range(min(AT_ONCE_MAX, len(self._turns)))]
            early = [turn for turn in due if turn.at > now_ms()]
            for turn in early:
                heapq.heappush(self._turns, turn)
            await asyncio.gather(*(self._take_alone(turn) for turn in due if turn not in early))

    async def _take_alone(self, turn: Turn) -> None:
        with self._stuck.alone(NAME, stream_of(turn.match)):
            await self._take(turn)

    async def _take(self, turn: Turn) -> None:
        """Act for a bot. A crash before the answer leaves the turn in the log, or its command stored: never two."""
        try:
            await self._compare(turn.match)
            view = await self._matches.view(turn.match, turn.seat)
            if view.version != turn.version:
                return
            command = self._chooses(view, _manner(view), draw(CHANCE_BYTES))
            if command is not None:
                self._keep(turn.match, await self._matches.submit(turn.match, command, turn.ask))
        except (VersionPassed, KeyUsed):
            # Somebody else was first; what they did wakes the bots again.
            return
        except Refused as refused:
            # The clock may take the turn between looking and acting; anything else is a fault of the bot's.
            log.warning("bots.refused", match=str(turn.match), seat=turn.seat, code=refused.code)
        except Unavailable as trouble:
            log.warning("bots.again", match=str(turn.match), why=str(trouble))
            again = Turn(now_ms() + AGAIN_MS, turn.match, turn.seat, turn.version)
            heapq.heappush(self._turns, again)

    async def _compare(self, match: UUID) -> None:
        """Hold the last receipt of a match against the log. Cost: a query for one line.

        Raises:
            AnotherHistory: Another line stands there, or none.
        """
        kept = self._receipts.get(match)
        if kept is None:
            return
        lines = await self._store.read(stream_of(match), kept.version - 1, 1)
        if [head_of(line) for line in lines] != [kept.head]:
            raise AnotherHistory(
                f"line {kept.version} of match {match} is not the one that was signed:\n{kept.receipt}"
            )

    def _keep(self, match: UUID, answer: Answer) -> None:
        self._receipts[match] = answer
        self._receipts.move_to_end(match)
        if len(self._receipts) > RECEIPTS_MAX:
            self._receipts.popitem(last=False)


def turn_of(match: Match, pause_ms: int) -> Turn | None:
    """Return the turn that a house bot has in this match, if it has one."""
    if match.table is None or match.ended or match.table.turn is None or is_dealing(match):
        return None
    seat = match.table.turn
    if not match.seated[seat].is_bot:
        return None
    return Turn(match.at + pause_ms, match.id, seat, match.version)


def _manner(view: View) -> Manner:
    return manner_of(next(seat.player for seat in view.seats if seat.seat == view.viewer))
