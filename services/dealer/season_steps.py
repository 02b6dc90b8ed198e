"""Steps of a season: what the director of a tournament does for the season that it is held for.

The law of the file: what is to be done follows from the season and the tournament, and is remembered nowhere else. A
tournament is held for its season from its announcement on, and counts once it is closed; each is one append, and
whoever is second finds it done. So any number of directors may look, and be killed anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from domain.errors import Refused
from domain.ids import UnixMs
from domain.seasons.counting import outcome_of
from domain.seasons.record import season_of, stream_of_season
from domain.tournaments.record import stream_of
from infra.clock import now_ms
from infra.store import Away
from services.seasons.handler import SeasonHandler
from services.seasons.requests import UnknownSeason
from services.tournaments.reads import TournamentQueries
from services.work.failures import AGAIN_MS, Stuck, take_due

NAME: Final = "seasons"
"""What they are called among the works that may get stuck."""


class SeasonSteps:
    """What a director does of seasons."""

    def __init__(self, seasons: SeasonHandler, tournaments: TournamentQueries, stuck: Stuck | None = None) -> None:
        """Act through this handler on what these queries find; `stuck` is told which seasons it cannot go on with."""
        self._stuck = stuck or Stuck()
        self._seasons = seasons
        self._tournaments = tournaments
        self._again: dict[UUID, UnixMs] = {}

    async def awaited(self) -> list[str]:
        """Return the streams of tournaments that are held for seasons and have not counted. Cost: a query a season.

        Who asks only whether all databases are back looks at none of them, so what could not be read before is to be
        read again all the same.

        Raises:
            Away: A season lies at a database that does not answer; with the tournaments of the others.
        """
        trouble: Away | None = None
        try:
            seasons = await self._seasons.open_seasons()
        except Away as away:
            seasons, trouble = [*map(season_of, away.found)], away
        found, away_too = await self._awaited_in(seasons)
        trouble = next(iter(away_too.values()), trouble)
        if trouble is not None:
            raise Away(str(trouble), found)
        return found

    async def awaited_again(self) -> list[str]:
        """Return the same of those seasons that could not be read then, as for want of room, where that is due."""
        found, away = await self._awaited_in(take_due(self._again))
        self._again |= dict.fromkeys(away, now_ms() + AGAIN_MS)
        return found

    async def _awaited_in(self, seasons: Iterable[UUID]) -> tuple[list[str], dict[UUID, Away]]:
        """Return the streams of what is awaited in these seasons, and which of them do not answer."""
        found, away = list[str](), dict[UUID, Away]()
        for each in seasons:
            try:
                with self._stuck.contain_failures(NAME, stream_of_season(each)) as contained:
                    found += [stream_of(UUID(name)) for name in (await self._seasons.load(each)).season.awaited]
                contained.put_back(self._again, each)
            except Away as trouble:
                away[each] = trouble
        return found, away

    async def look(self, tournament_id: UUID) -> None:
        """Hold a tournament for its season, and count it once it is closed. A season that is over stays as it is.

        Raises:
            Unavailable: The store cannot say yes now.
        """
        written = (await self._tournaments.load(tournament_id, 0)).written
        tournament = written.tournament
        if tournament.rules.season is None:
            return
        season_id, name = UUID(tournament.rules.season), str(tournament_id)
        try:
            season = (await self._seasons.load(season_id)).season
            if name not in season.admitted:
                await self._seasons.admit(season_id, name)
            if tournament.ended and name not in season.counted:
                await self._seasons.count(season_id, outcome_of(tournament, written.head))
        except (Refused, UnknownSeason):
            return
