"""Seasons and players of a program: what only a dealer has of them, and the site behind their pages."""

from __future__ import annotations

import asyncio
from typing import Any, NoReturn
from uuid import UUID

from msgspec import Struct

from infra.store import EventStore, Unavailable
from projections.seasons.players import PlayerView
from projections.seasons.table import SeasonView, season_view
from services.api.tournament_port import NoTournaments
from services.dealer.season_steps import SeasonSteps
from services.matches.requests import Signs
from services.matches.secrets.tokens import TokenIssuer
from services.seasons.handler import SeasonHandler
from services.seasons.players import PlayerQueries, PlayerRegister
from services.seasons.reads import SeasonQueries
from services.seasons.requests import UnknownPerson, UnknownSeason
from services.tournaments.people import player_seen
from services.tournaments.reads import TournamentQueries
from services.work.failures import Stuck


class Beyond(Struct, frozen=True):
    """What a dealer has beyond single tournaments."""

    seasons: SeasonHandler
    players: PlayerRegister

    @property
    def parts(self) -> dict[str, Any]:
        """What the interface needs of them."""
        return {"seasons": self.seasons, "players": self.players}

    def steps(self, tournaments: TournamentQueries, stuck: Stuck) -> SeasonSteps:
        """Return what a director does of seasons."""
        return SeasonSteps(self.seasons, tournaments, stuck)


def beyond(store: EventStore, tokens: TokenIssuer, signs: Signs) -> Beyond:
    """Return what a dealer has beyond single tournaments."""
    return Beyond(SeasonHandler(store, tokens, signs), PlayerRegister(store, tokens))


class SeasonsElsewhere(SeasonQueries, NoTournaments):
    """Seasons as a node without the dealer's role has them: read only, and nobody is known to be a host."""

    async def host_of(self, token: str) -> NoReturn:  # noqa: ARG002 - as the port has it
        """Know no token.

        Raises:
            Unavailable: Always.
        """
        raise Unavailable("tokens of seasons are known to nodes with a dealer")


class PlayersElsewhere(PlayerQueries, NoTournaments):
    """Players as a node without the dealer's role has them: read only."""


def beyond_elsewhere(store: EventStore) -> dict[str, Any]:
    """Return what the interface of a node without the dealer's role needs of seasons and players."""
    return {"seasons": SeasonsElsewhere(store), "players": PlayersElsewhere(store)}


class HouseSeasons:
    """The pages' view of the seasons and the players of the house."""

    def __init__(self, store: EventStore, tournaments: TournamentQueries) -> None:
        """Show what this store holds, and what these queries find of tournaments."""
        self._seasons = SeasonQueries(store)
        self._players = PlayerQueries(store)
        self._tournaments = tournaments

    async def season(self, season_id: UUID) -> SeasonView | None:
        """Return a season as of its last line; None if there is none. Cost: some queries."""
        try:
            written = await self._seasons.load(season_id)
        except UnknownSeason:
            return None
        title, names = await self._seasons.title(season_id), await self._seasons.names(written.season)
        return await asyncio.to_thread(season_view, written.season, written.head, title, names)

    async def player(self, player: str) -> PlayerView | None:
        """Return a player; None if there is none. Cost: some queries a tournament."""
        try:
            return await player_seen(player, self._players, self._tournaments, self._seasons)
        except UnknownPerson:
            return None
