"""The site behind the pages: what they need to know of the house."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol
from uuid import UUID

from domain.ids import Version
from domain.statistics.uniformity import Statistics
from infra.store import TOP, Card, RowPlace
from projections.commentary.comments import CommentView
from projections.glass import Eyes
from projections.lobby import State
from projections.view import View

Json = dict[str, Any]


class CommentSite(Protocol):
    """What is said about matches."""

    async def comments(self, match_id: UUID, *, limit: int) -> Sequence[CommentView]:
        """Return what everybody may read of it by now, the first so many comments."""


class SilentSite:
    """A site where nobody says anything."""

    async def comments(self, match_id: UUID, *, limit: int) -> Sequence[CommentView]:  # noqa: ARG002 - as asked
        """Return nothing."""
        return ()


class Site(Protocol):
    """What the pages need to know."""

    async def lobby(
        self, state: State | None, limit: int, before: RowPlace = TOP, game: str | None = None
    ) -> Sequence[Json]:
        """Return at most `limit` rows of the lobby in each state before this place, those that moved last first."""

    async def view(self, match_id: UUID) -> View | None:
        """Return the match as a spectator sees it; None if there is none."""

    async def moment(self, match_id: UUID, version: Version, eyes: Eyes) -> View | None:
        """Return a match that there is as these eyes see it at a version, with every die that is published by now.

        None if it has not come so far.
        """

    async def card(self, match_id: UUID) -> Card:
        """Return what the table of a match that there is is called, and whether it is listed."""

    async def report(self, match_id: UUID) -> Mapping[str, Any]:
        """Return what an audit of the record finds."""

    async def games(self) -> Sequence[Json]:
        """Return the cards of the games, as the JSON interface does."""

    async def statistics(self) -> Statistics:
        """Return what all dice of the house came to."""

    async def beacon(self) -> str | None:
        """Return the name of the public beacon that deals of this house may wait for."""
