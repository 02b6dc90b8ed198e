"""Steps of a season: what the director of a tournament does for the season that it is held for.

The law of the file: what is to be done follows from the season and the tournament, and is remembered nowhere else. A
tournament is held for its season from its announcement on, and counts once it is closed; each is one append, and
whoever is second finds it done. So any number of directors may look, and be killed anywhere.
"""

from __future__ import annotations

from uuid import UUID

from domain.errors import Refused
from domain.seasons.counting import outcome_of
from services.seasons.handler import SeasonHandler
from services.seasons.requests import UnknownSeason
from services.tournaments.reads import TournamentQueries


class SeasonSteps:
    """What a director does of seasons."""

    def __init__(self, seasons: SeasonHandler, tournaments: TournamentQueries) -> None:
        """Act through this handler on what these queries find."""
        self._seasons = seasons
        self._tournaments = tournaments

    async def awaited(self) -> list[UUID]:
        """Return the tournaments that are held for seasons and have not counted. Cost: a query a season."""
        seasons = [(await self._seasons.load(each)).season for each in await self._seasons.open_seasons()]
        return [UUID(name) for season in seasons for name in season.awaited]

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
