"""Lists of the lobby, as they are shown to whoever holds no seat.

The rows are kept as matches move (`services.relay.lobby_projector`). The row of a match whose spectators wait is made
again from what they are shown, but for its `at`, which is its place on the list: that something has happened is told at
once, and what it was is not.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final
from uuid import UUID

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.match.evolve import Match
from domain.match.record import MatchAtHead
from domain.seats import is_person
from infra.store import TOP, Card, ProjectionRow, Projections, RowPlace
from projections.lobby import SHELVES, LobbyRow, State, row_of, state_of, title_of
from projections.view import View
from services.matches.watching.delays import Delays
from services.matches.watching.named_pages import CalledNow
from services.work.failures import Unreadable

LOOKED_MAX: Final = 400
"""Rows of a state that are looked through for those of one game: a few reads, whatever a house has."""

PLAYERS: Final = "players"
"""A member of rows as they are kept, and not as they are shown."""

CardOf = Callable[[UUID], Awaitable[Card]]
"""Returns what is known of a table beside the log."""
Look = Callable[[UUID, None], Awaitable[tuple[MatchAtHead, View]]]
"""Returns a match as its spectators are shown it, and what they see of it."""


class Listing:
    """The lists of the lobby."""

    def __init__(self, rows: Projections, delays: Delays, card_of: CardOf, look: Look, called_now: CalledNow) -> None:
        """Read rows from here, and ask for those that these delays may keep back, and what players are called."""
        self._rows = rows
        self._delays = delays
        self._card_of = card_of
        self._look = look
        self._called_now = called_now

    async def rows(
        self, state: State | None, limit: int, before: RowPlace = TOP, game: str | None = None
    ) -> list[dict[str, Any]]:
        """Return rows of the lobby that stand before this place, those that moved last first.

        At most `limit` rows of each state come: `open`, `live`, `ended`, or all three for None, where matches that only
        bots have played come when people have not played as many. With a `game` they are of that game alone.
        """
        if game is not None:
            asked = SHELVES if state is None else (state,)
            return [row for each in asked for row in await self.list_of_game(game, each, limit, before)]
        return await (self.lists(limit, before) if state is None else self.list_of(state, limit, before))

    async def lists(self, limit: int, before: RowPlace) -> list[dict[str, Any]]:
        """Return rows that stand before this place, those that moved last first, at most `limit` of each state.

        Matches that only bots have played come when people have not played as many.
        """
        found: list[ProjectionRow] = []
        for shelves in SHELVES.values():
            room = limit
            for shelf in shelves:
                rows = await self._shelf(shelf, room, before) if room else []
                room -= len(rows)
                found += rows
        found.sort(key=lambda row: row.place, reverse=True)
        return [shown for row in found if (shown := await self._shown(row)) is not None]

    async def list_of(self, state: State, limit: int, before: RowPlace) -> list[dict[str, Any]]:
        """Return at most `limit` rows of a state, those that moved last first.

        A match that is shown in another state is left out, and the list goes on behind it.
        """
        found: list[dict[str, Any]] = []
        while True:
            wanted = limit - len(found)
            rows = await self._rows_of(state, wanted, before)
            for row in rows:
                shown = await self._shown(row, state)
                found += () if shown is None else (shown,)
            if len(rows) < wanted or len(found) == limit:
                return found
            before = rows[-1].place

    async def list_of_game(self, game: str, state: State, limit: int, before: RowPlace) -> list[dict[str, Any]]:
        """Return at most `limit` rows of a state and a game, of the `LOOKED_MAX` that moved last before a place."""
        found: list[dict[str, Any]] = []
        rows = await self._rows_of(state, LOOKED_MAX, before)
        for row in rows:
            if msgspec.json.decode(row.doc, type=_Game).game == game:
                shown = await self._shown(row, state)
                found += () if shown is None else (shown,)
            if len(found) == limit:
                break
        return found

    async def _rows_of(self, state: State, limit: int, before: RowPlace) -> list[ProjectionRow]:
        rows = [row for shelf in SHELVES[state] for row in await self._shelf(shelf, limit, before)]
        return sorted(rows, key=lambda row: row.place, reverse=True)[:limit]

    async def _shelf(self, shelf: str, limit: int, before: RowPlace) -> Sequence[ProjectionRow]:
        return await self._rows.projection("lobby", shelf, limit, before)

    async def _shown(self, row: ProjectionRow, state: State | None = None) -> dict[str, Any] | None:
        """Return a row as it is shown; None for one of another state, or of a match that cannot be read here."""
        if row.shelf == "open" or not self._delays.may_keep(row.at):
            return await self._document(row.doc)
        try:
            late = await self._late_row(UUID(row.key))
        except Unreadable:
            return None
        if late is None:
            return await self._document(row.doc)
        if state not in {None, state_of(late)}:
            return None
        return _builtins(replace(late, at=row.at))

    async def _late_row(self, match_id: UUID) -> LobbyRow | None:
        """Return the row of a match as its spectators are shown it; None where they do not wait."""
        card = await self._card_of(match_id)
        delay_ms = card.choices.delay_ms
        if not delay_ms:
            return None
        written, seen = await self._look(match_id, None)
        return row_of(seen, card.name, delay_ms, written.match.deals_drawn)

    async def _document(self, doc: bytes) -> dict[str, Any]:
        """Return a row as it is kept, with the names that it does not hold."""
        found: dict[str, Any] = msgspec.json.decode(doc)
        players: dict[str, str] | None = found.pop(PLAYERS, None)
        if players is None:
            return found
        called = await self._called_now(players.values())
        row = msgspec.convert(found, LobbyRow)
        names = {int(seat): called.get(player, player) for seat, player in players.items()}
        seats = tuple(replace(one, name=names.get(one.seat, one.name)) for one in row.seats)
        return _builtins(replace(row, seats=seats, title=row.name or title_of(seats)))


class _Game(Struct):
    """As much of a row as says what is played."""

    game: str


def encode_row(row: LobbyRow, match: Match) -> bytes:
    """Return a row as it is kept, with the ids of those at the table whose names can be erased, by seat."""
    players = {str(seat): who.player for seat, who in match.seated.items() if is_person(who.player)}
    return msgspec.json.encode({**_builtins(row), PLAYERS: players} if players else row)


def _builtins(row: LobbyRow) -> dict[str, Any]:
    """Return a row as it is read where it is kept: lists, where the row has tuples."""
    found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(row))
    return found
