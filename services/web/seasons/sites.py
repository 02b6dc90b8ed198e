"""The site behind the pages of seasons and players: what they need to know."""

from __future__ import annotations

from typing import Protocol
from uuid import UUID

from projections.seasons.players import PlayerView
from projections.seasons.table import SeasonView


class SeasonSite(Protocol):
    """What the pages of seasons and players need to know."""

    async def season(self, season_id: UUID, /) -> SeasonView | None:
        """Return a season as it stands; None if there is none."""

    async def player(self, player: str, /) -> PlayerView | None:
        """Return a player; None if there is none."""


class EmptySeasonSite:
    """A site that has neither."""

    async def season(self, _season_id: UUID) -> SeasonView | None:
        """Return None."""
        return None

    async def player(self, _player: str) -> PlayerView | None:
        """Return None."""
        return None
