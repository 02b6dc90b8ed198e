"""The director of tournaments: follows the log like the scheduler of matches, and has what is due done.

Any number of directors may follow the same tournaments: whoever is second finds nothing due, or another version. It
looks at a tournament when that moves, when a match of it moves, and when a time comes; at the start at all that go on.
While one of several databases is away, what lives there waits for it, and all other tournaments go on.
"""

from __future__ import annotations

import asyncio
from typing import Final
from uuid import UUID

import structlog

from domain.ids import UnixMs, Version
from domain.match.record import is_match, match_of
from domain.tournaments.boards.record import board_of, is_board
from domain.tournaments.record import is_tournament, stream_of, tournament_of
from infra.clock import now_ms, ticks_s
from infra.measures.buckets import Buckets
from infra.store import Away, Unavailable
from services.dealer.scheduler import IDLE_S
from services.dealer.season_steps import SeasonSteps
from services.dealer.steps import TournamentSteps
from services.tournaments.handler import TournamentHandler
from services.work.changes import ChangeCursor, LiveStreams, Log
from services.work.failures import Stuck, take_due
from services.work.wakeups import Waker

NAME: Final = "director"
"""What it is called among the works that may get stuck."""
AWAY_MS: Final = 1_000
"""How often a tournament is looked at of which a match is away."""

log = structlog.get_logger(__name__)


class Director:
    """Follows the log and keeps which tournament is to be looked at when.

    Attributes:
        looks: How many seconds each look at a tournament took, with all that was done.
    """

    def __init__(
        self,
        log: Log,
        tournaments: TournamentHandler,
        steps: TournamentSteps,
        waker: Waker,
        seasons: SeasonSteps,
        stuck: Stuck | None = None,
    ) -> None:
        """Follow this log, and take these steps; `stuck` is told which tournaments it cannot go on with."""
        self._log = log
        self._tournaments = tournaments
        self._steps = steps
        self._waker = waker
        self._seasons = seasons
        self._stuck = stuck or Stuck()
        self._touched, self._live = ChangeCursor(log), LiveStreams(self._list_open)
        self._due: dict[UUID, UnixMs] = {}
        self.looks = Buckets()

    async def run(self) -> None:
        """Follow until cancelled; after trouble with the store, start like after a crash."""
        try:
            while True:
                try:
                    await self._follow()
                except Unavailable as trouble:
                    log.warning("director.waits", why=str(trouble))
                    await asyncio.sleep(IDLE_S)
        finally:
            await self._steps.close()

    async def _follow(self) -> None:
        await self.begin()
        while not await self._live.are_back():
            await self.round()
            await self._waker.wait(self._sleep_s())

    async def begin(self) -> None:
        """Take note of every tournament that goes on: all are to be looked at now."""
        await self._touched.begin()
        self._steps.forget()
        self._due = dict.fromkeys(map(tournament_of, await self._live.list_them()), 0)

    async def _list_open(self) -> list[str]:
        """Return those that go on, and those that ended while nobody was there and may have to count yet.

        Raises:
            Away: One of several databases does not answer; with what the others have.
        """
        found, trouble = list[str](), None
        for lists in (self._tournaments.open_streams, self._seasons.awaited):
            try:
                found += await lists()
            except Away as away:
                found, trouble = found + away.found, away
        if trouble is not None:
            raise Away(str(trouble), found)
        return found

    async def round(self) -> None:
        """Look once at whatever has moved, and at what is due."""
        for stream, version in (await self._touched.look()).items():
            if is_tournament(stream):
                self._due[tournament_of(stream)] = 0
            elif is_board(stream):
                tournament_id = self._steps.played_in(board_of(stream))
                self._due |= {} if tournament_id is None else {tournament_id: 0}
            elif is_match(stream):
                await self._look_at_match(match_of(stream), version)
        self._due |= dict.fromkeys(map(tournament_of, await self._seasons.awaited_again()), 0)
        for tournament_id in take_due(self._due):
            began = ticks_s()
            with self._live.contain_away(), self._stuck.contain_failures(NAME, stream_of(tournament_id)) as contained:
                await self._look(tournament_id)
            contained.put_back(self._due, tournament_id)
            self.looks.add(ticks_s() - began)

    async def _look(self, tournament_id: UUID) -> None:
        """Look at a tournament; while a match of it is away, again for the sake of the others."""
        try:
            again = await self._steps.look(tournament_id)
            if again is not None:
                # Noted first: a season that cannot be read is no reason to leave the tournament alone.
                self._due[tournament_id] = again
            await self._seasons.look(tournament_id)
        except Away:
            self._due[tournament_id] = now_ms() + AWAY_MS
            raise

    async def _look_at_match(self, match_id: UUID, version: Version) -> None:
        tournament_id = self._steps.played_in(match_id)
        if tournament_id is not None:
            with self._live.contain_away(), self._stuck.contain_failures(NAME, stream_of(tournament_id)) as contained:
                await self._steps.look_at_match(tournament_id, match_id, version)
            if contained.failed:
                # How the match stands is not known any more: the next look at the tournament reads it anew.
                self._steps.seen.pop(match_id, None)
                contained.put_back(self._due, tournament_id)

    def _sleep_s(self) -> float:
        if not self._due:
            return IDLE_S
        return min(IDLE_S, max(0.0, (min(self._due.values()) - now_ms()) / 1_000))
