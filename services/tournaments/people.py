"""A player with the tournaments entered and the ratings in their seasons, for whoever shows one."""

from __future__ import annotations

from contextlib import suppress
from typing import Final, Protocol
from uuid import UUID

from domain.seasons.record import SeasonAtHead
from domain.tournaments.tournament import Tournament
from infra.store import Card
from projections.seasons.players import PlayerView, player_view
from services.seasons.requests import UnknownSeason
from services.tournaments.cached import CachedTournament
from services.tournaments.requests import UnknownTournament
from services.work.failures import Unreadable

EVENTS_MAX: Final = 100
"""Tournaments that are looked at for one player: each may be read from the log."""


class EnteredEvents(Protocol):
    """Who a player is, and where."""

    async def name(self, player: str) -> str | None:
        """Return what a player is called; None if that was erased."""

    async def entries(self, player: str) -> list[UUID]:
        """Return the tournaments that a player entered, or was about to."""


class ReadTournaments(Protocol):
    """Tournaments by id."""

    async def load(self, tournament_id: UUID, at_least: int | None = None) -> CachedTournament:
        """Return a tournament as of its last line."""

    async def card(self, tournament_id: UUID) -> Card:
        """Return what a tournament is called, and whether it is listed."""


class ReadSeasons(Protocol):
    """Seasons by id."""

    async def load(self, season_id: UUID) -> SeasonAtHead:
        """Return a season as of its last line."""


async def player_seen(
    player: str, players: EnteredEvents, tournaments: ReadTournaments, seasons: ReadSeasons
) -> PlayerView:
    """Return a player as people see one: nothing of tournaments that stand in no list.

    Cost: some queries a tournament, at most `EVENTS_MAX` of them.

    Raises:
        UnknownPerson: There is no such player.
    """
    name = await players.name(player)
    entered: list[tuple[Tournament, str | None]] = []
    # What was left by a refusal or a crash, or cannot be read here, is passed over.
    for each in (await players.entries(player))[:EVENTS_MAX]:
        with suppress(UnknownTournament, Unreadable):
            found, card = (await tournaments.load(each)).tournament, await tournaments.card(each)
            if card.listed:
                entered.append((found, card.name))
    wanted = dict.fromkeys(UUID(event.rules.season) for event, _ in entered if event.rules.season is not None)
    read = []
    for season in wanted:
        with suppress(UnknownSeason, Unreadable):
            read.append((await seasons.load(season)).season)
    return player_view(player, name, entered, read)
