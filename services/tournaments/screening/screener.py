"""The screener: follows the log, and screens every tournament of which a round is closed.

Nobody waits for it, and it does nothing in a tournament. What it finds follows from the log: any number of screeners
may work, be killed anywhere, and find the same; what is kept of a later round is never followed by an earlier one.
What lives at one of several databases that is away waits for it, and all other tournaments are screened.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final, Protocol, TypeVar
from uuid import UUID

import msgspec
from cachetools import LRUCache

from domain.ids import UnixMs
from domain.match.record import stream_of as match_stream
from domain.statistics.screening.decisions import MatchDecisions
from domain.statistics.screening.sittings import Pair, matches_that_count, places_to_screen
from domain.tournaments.record import is_tournament, stream_of, tournament_of
from domain.tournaments.tournament import Tournament
from infra.store import EventStore, ProjectionRow, Unavailable
from infra.store.people import StoredScreening
from services.matches.secrets.tokens import TokenIssuer
from services.tournaments.cached import CachedTournament
from services.tournaments.screening.cases import kept_after, kept_from
from services.tournaments.screening.working import ScreeningGiven, decided_in, screened
from services.work.changes import ChangeCursor, LiveStreams, Log
from services.work.failures import Stuck, take_due
from services.work.waiting import Waits
from services.work.wakeups import Waker
from services.work.worker import Worker

Given = TypeVar("Given")
Found = TypeVar("Found")

NAME: Final = "screener"
"""What it is called among the works that may get stuck."""
MATCHES_MAX: Final = 4_096
"""Matches whose decisions are remembered: those of a thousand entrants in seven rounds and some more."""
AFTERWARDS_MAX: Final = 64
"""So many of the list that ended last are looked at as a screener begins: they may have ended while there was none."""
IDLE_S: Final = 5.0
"""How long it waits for the log to grow before it looks."""
PAGE: Final = 1_024
"""Lines that are read at once."""
AT_ONCE: Final = 16
"""Matches that are read and handed over together."""


class PlayedTournaments(Protocol):
    """The tournaments of the house, as the screener reads them."""

    async def load(self, tournament_id: UUID) -> CachedTournament:
        """Return a tournament as of its last line."""

    async def open_streams(self) -> list[str]:
        """Return the streams of those that go on; of those at a database that is away it says so, with the others."""

    async def rows(self, shelf: str, limit: int) -> list[ProjectionRow]:
        """Return at most `limit` rows of the list in a state, the latest first."""


class Screener:
    """Screens what is played in this house."""

    def __init__(
        self,
        log: Log,
        store: EventStore,
        tournaments: PlayedTournaments,
        tokens: TokenIssuer,
        waker: Waker,
        worker: Worker | None = None,
        stuck: Stuck | None = None,
    ) -> None:
        """Follow this log, and keep what is found in this store, under names that these tokens' keys make.

        What takes long is done by a worker, or in a thread; `stuck` is told which tournaments cannot be screened.
        """
        self._store = store
        self._tournaments = tournaments
        self._tokens = tokens
        self._waker = waker
        self._worker = worker
        self._stuck = stuck or Stuck()
        self._touched, self._live = ChangeCursor(log), LiveStreams(tournaments.open_streams)
        self._waits = Waits(NAME)
        self._decisions: LRUCache[str, MatchDecisions] = LRUCache(MATCHES_MAX)
        self._again: dict[UUID, UnixMs] = {}

    async def run(self) -> None:
        """Work until cancelled; after trouble with the store, begin as after a crash."""
        try:
            while True:
                try:
                    await self._follow()
                except Unavailable as trouble:
                    await self._waits.out(trouble)
        finally:
            if self._worker is not None:
                self._worker.close()

    async def _follow(self) -> None:
        await self._touched.begin()
        waiting = {*map(tournament_of, await self._live.list_them()), *await self._ended_lately()}
        while not await self._live.are_back():
            for tournament_id in sorted(waiting):
                contains = self._stuck.contain_failures(NAME, stream_of(tournament_id))
                with self._live.contain_away(), contains as contained:
                    await self.screen(tournament_id)
                contained.put_back(self._again, tournament_id)
            self._waits.over()
            await self._waker.wait(IDLE_S)
            moved = {tournament_of(stream) for stream in await self._touched.look() if is_tournament(stream)}
            waiting = {*moved, *take_due(self._again)}

    async def _ended_lately(self) -> list[UUID]:
        return [UUID(row.key) for row in await self._tournaments.rows("ended", AFTERWARDS_MAX)]

    async def screen(self, tournament_id: UUID) -> None:
        """Screen a tournament after each round for which that is not done. A crash between leaves the rest to do.

        Raises:
            UnknownTournament, Unreadable, Unavailable.
        """
        tournament = (await self._tournaments.load(tournament_id)).tournament
        places, stream = places_to_screen(tournament), stream_of(tournament_id)
        stored = await self._store.screening(stream) if places else None
        kept = None if stored is None else kept_from(stored.body)
        left = [place for place in places if kept is None or (kept.stage, kept.round) < place]
        if left:
            lines, decisions = await self._lines(stream), await self._decided(tournament)
            for place in left:
                found = await self._do(screened, ScreeningGiven(lines, place, decisions))
                kept = kept_after(kept, found.screening, partial(self._name, tournament_id))
                await self._store.keep_screening(stream, StoredScreening(found.upto, msgspec.json.encode(kept)))

    async def _decided(self, tournament: Tournament) -> dict[str, MatchDecisions]:
        """Return what was decided in each match that counts; of a round that is closed no match is taken back."""
        names = [match for _, _, match in matches_that_count(tournament)]
        found = {name: self._decisions[name] for name in names if name in self._decisions}
        fresh = [name for name in names if name not in found]
        for at in range(0, len(fresh), AT_ONCE):
            some = [(name, await self._store.read(match_stream(UUID(name)))) for name in fresh[at : at + AT_ONCE]]
            found |= await self._do(decided_in, some)
        self._decisions.update(found)
        return found

    async def _lines(self, stream: str) -> list[bytes]:
        lines: list[bytes] = []
        while page := await self._store.read(stream, len(lines), PAGE):
            lines += page
        return lines

    async def _do(self, work: Callable[[Given], Found], given: Given) -> Found:
        """Do what takes long where it holds nobody up."""
        if self._worker is None:
            return await asyncio.to_thread(work, given)
        return await self._worker.do(work, given)

    def _name(self, tournament_id: UUID, pair: Pair) -> str:
        """Return what stands for a pair in the log, which nobody can tell from its numbers without the house's key."""
        one, other = pair
        about = b"truecup case\n" + one.to_bytes(4, "big") + other.to_bytes(4, "big")
        return "k" + self._tokens.name(about, tournament_id).hex()[:24]
