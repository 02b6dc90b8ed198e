"""Writers: who may write about a match, by the tokens they show.

Hosts may, and at a table of a tournament its officials, and the players whom they name as casters; once the match is
over for whoever holds no seat, every player if they allow it. A token of a seat lets nobody write: it is of a guest.
"""

from __future__ import annotations

from typing import Protocol
from uuid import UUID

from domain.commentary.authors import host_author
from domain.commentary.record import stream_of_commentary
from infra.store.comments import CommentStore
from projections.view import View
from services.commentary.requests import NOBODY, CommentWriter
from services.matches.secrets.tokens import Bearer
from services.tournaments.cached import CachedTournament
from services.tournaments.requests import TournamentBearer

_FINISHED = "finished"


class ReadMatches(Protocol):
    """The matches of the house, as whoever holds no seat is shown them."""

    async def view(self, match_id: UUID, viewer: None) -> View:
        """Return a match as it is shown now."""

    async def released(self, match_id: UUID) -> int:
        """Return up to which version it is told with all its rounds over."""


class KnownBearers(Protocol):
    """Whose tokens of matches are."""

    async def bearer(self, token: str) -> Bearer | None:
        """Return who a token speaks for at a match, if it does."""


class KnownPlayers(Protocol):
    """Whose tokens of players are."""

    async def player_of(self, token: str) -> str | None:
        """Return whose token this is, if it counts."""


class KnownOfficials(Protocol):
    """Whose tokens of tournaments are."""

    async def bearer(self, token: str) -> TournamentBearer | None:
        """Return who a token speaks for in a tournament, if it does."""

    async def load(self, tournament_id: UUID) -> CachedTournament:
        """Return a tournament as of its last line."""


class WriterLookup:
    """Who shows a token."""

    def __init__(
        self, tables: CommentStore, bearers: KnownBearers, players: KnownPlayers, officials: KnownOfficials
    ) -> None:
        """Look tokens up here."""
        self._tables = tables
        self._bearers, self._players, self._officials = bearers, players, officials

    async def of(self, view: View, token: str) -> CommentWriter | None:
        """Return who shows a token at a match, as it is shown to whoever holds no seat; None if it is nobody's.

        Cost: one to three queries.
        """
        bearer = await self._bearers.bearer(token)
        if bearer is not None:
            return _at_match(view, bearer)
        player = await self._players.player_of(token)
        if player is not None:
            return CommentWriter(player, await self._may_write(view, player))
        official = await self._officials.bearer(token)
        return None if official is None else await self._at_event(view, official)

    async def _at_event(self, view: View, official: TournamentBearer) -> CommentWriter:
        if official.role == "entrant" or str(official.tournament) != _tournament_of(view):
            return NOBODY
        officials = (await self._officials.load(official.tournament)).tournament.officials
        return CommentWriter(official.by, writes=True, hosts=True) if official.by in officials else NOBODY

    async def _may_write(self, view: View, player: str) -> bool:
        named = await self._tables.writers(stream_of_commentary(UUID(view.match)))
        return player in named.casters or (named.everybody and view.phase == _FINISHED)


def _at_match(view: View, bearer: Bearer) -> CommentWriter:
    match_id, seat = UUID(view.match), None if bearer.holder is None else bearer.holder.seat
    # Where a seat has the powers of the host, whoever opened the match has them no more.
    if bearer.match != match_id or seat != view.host or _tournament_of(view) is not None:
        return NOBODY
    return CommentWriter(host_author(match_id, seat), writes=True, hosts=True)


def _tournament_of(view: View) -> str | None:
    """Return the tournament at whose table a match is played, if it is one's."""
    event = view.rules.get("event")
    return None if event is None else str(event["tournament"])
