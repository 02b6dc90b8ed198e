"""Seasons and players of a program: what only a dealer has of them, and the site behind their pages."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

from msgspec import Struct

from infra.store import EventStore
from projections.seasons.players import PlayerView
from projections.seasons.table import SeasonView, season_view
from services.dealer.handoff.remote import Dealers
from services.dealer.handoff.remote_seasons import RemotePlayers, RemoteSeasons
from services.dealer.handoff.season_desk import SeasonDesk
from services.dealer.handoff.shown import ShownTokens
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

    @property
    def desk(self) -> SeasonDesk:
        """What answers nodes that ask about them."""
        return SeasonDesk(self.seasons, self.players)

    def steps(self, tournaments: TournamentQueries, stuck: Stuck) -> SeasonSteps:
        """Return what a director does of seasons."""
        return SeasonSteps(self.seasons, tournaments, stuck)


def beyond(store: EventStore, tokens: TokenIssuer, signs: Signs) -> Beyond:
    """Return what a dealer has beyond single tournaments."""
    return Beyond(SeasonHandler(store, tokens, signs), PlayerRegister(store, tokens))


def beyond_elsewhere(store: EventStore, dealers: Dealers, shown: ShownTokens) -> dict[str, Any]:
    """Return what the interface of a node without the dealer's role needs of seasons and players."""
    return {"seasons": RemoteSeasons(store, dealers, shown), "players": RemotePlayers(store, dealers, shown)}


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
        titles = await self._seasons.titles(written.season)
        return await asyncio.to_thread(season_view, written.season, written.head, title, names, titles)

    async def player(self, player: str) -> PlayerView | None:
        """Return a player; None if there is none. Cost: some queries a tournament."""
        try:
            return await player_seen(player, self._players, self._tournaments, self._seasons)
        except UnknownPerson:
            return None
