"""Seasons, players and comments of a program: what only a dealer has of them, and the sites behind their pages."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

from msgspec import Struct

from infra.handoff import Handoff
from infra.measures.slow import SlowCommands
from infra.store import EventStore
from projections.seasons.players import PlayerView
from projections.seasons.table import SeasonView, season_view
from services.commentary.handler import CommentHandler
from services.commentary.reads import CommentQueries
from services.commentary.writers import ReadMatches, WriterLookup
from services.dealer.commentary.remote import RemoteComments
from services.dealer.handoff.commentary.comment_desk import CommentDesk
from services.dealer.handoff.desk import Desk
from services.dealer.handoff.event_desk import EventDesk
from services.dealer.handoff.remote import Dealers
from services.dealer.handoff.remote_seasons import RemotePlayers, RemoteSeasons
from services.dealer.handoff.season_desk import SeasonDesk
from services.dealer.handoff.shown import ShownTokens
from services.dealer.season_steps import SeasonSteps
from services.matches.handler import CommandHandler
from services.matches.requests import Signs
from services.matches.secrets.tokens import TokenIssuer
from services.seasons.handler import SeasonHandler
from services.seasons.players import PlayerQueries, PlayerRegister
from services.seasons.reads import SeasonQueries
from services.seasons.requests import UnknownPerson, UnknownSeason
from services.tournaments.handler import TournamentHandler
from services.tournaments.people import player_seen
from services.tournaments.reads import TournamentQueries
from services.work.failures import Stuck


class Beyond(Struct, frozen=True):
    """What a dealer has beyond single tournaments."""

    seasons: SeasonHandler
    players: PlayerRegister
    comments: CommentHandler

    @property
    def parts(self) -> dict[str, Any]:
        """What the interface needs of them."""
        return {"seasons": self.seasons, "players": self.players, "comments": self.comments}

    def desk(self, handoff: Handoff, matches: CommandHandler, tournaments: TournamentHandler) -> Desk:
        """Return what answers nodes that hand over to a dealer what they are asked."""
        seasons = SeasonDesk(self.seasons, self.players)
        events = EventDesk(tournaments, matches.seat_at, seasons)
        return Desk(handoff, matches, events, seasons, CommentDesk(self.comments))

    def steps(self, tournaments: TournamentQueries, stuck: Stuck) -> SeasonSteps:
        """Return what a director does of seasons."""
        return SeasonSteps(self.seasons, tournaments, stuck)


def beyond(
    store: EventStore,
    tokens: TokenIssuer,
    signs: Signs | None,
    matches: CommandHandler,
    tournaments: TournamentHandler,
    slow: SlowCommands | None = None,
) -> Beyond:
    """Return what a dealer has beyond single tournaments and matches."""
    players = PlayerRegister(store, tokens)
    comments = CommentHandler(store, matches, WriterLookup(store, matches, players, tournaments), signs, slow)
    return Beyond(SeasonHandler(store, tokens, signs, slow), players, comments)


def beyond_elsewhere(store: EventStore, dealers: Dealers, shown: ShownTokens, matches: ReadMatches) -> dict[str, Any]:
    """Return what the interface of a node without the dealer's role needs of seasons, players and comments."""
    comments = RemoteComments(store, matches, dealers)
    seasons, players = RemoteSeasons(store, dealers, shown), RemotePlayers(store, dealers, shown)
    return {"seasons": seasons, "players": players, "comments": comments}


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


def pages_beyond(
    store: EventStore, tournaments: TournamentQueries, matches: ReadMatches
) -> tuple[HouseSeasons, CommentQueries]:
    """Return the pages' view of seasons and players, and of what people say about these matches."""
    return HouseSeasons(store, tournaments), CommentQueries(store, matches)
