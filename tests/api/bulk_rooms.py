"""Rooms of the house without dice, opened many at once: one after the other, for nobody looks on meanwhile."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Literal
from uuid import UUID

from msgspec.structs import replace

from domain import commands
from domain.errors import Refused
from domain.fairness.deal import Policy
from infra.store import Card
from services.matches.reads.cards import PLAIN
from services.matches.requests import Answer, CommandMetadata, KeyUsed
from services.matches.tables.bulk import BadTables, BulkAnswer, BulkSeat, BulkTable, OpenedTable
from services.matches.watching.bot_turns import ToldTurn
from tests.api.named_rooms import NamedRooms


class BulkRooms(ABC):
    """The part of the house that opens lists."""

    def __init__(self) -> None:
        self._lists: dict[bytes, tuple[bytes, BulkAnswer]] = {}

    @abstractmethod
    async def open(
        self, rules: dict[str, Any], ask: CommandMetadata, policy: Policy = "all", card: Card = PLAIN
    ) -> Answer:
        """Open a room."""

    @abstractmethod
    async def join(
        self,
        match_id: UUID,
        name: str,
        custody: Literal["client", "server"],
        ask: CommandMetadata,
        invite: str | None = None,
    ) -> Answer:
        """Take a seat."""

    async def opened_all(self, ask: CommandMetadata) -> BulkAnswer | None:
        """Return what was opened."""
        fingerprint, answer = self._lists.get(ask.command, (ask.fingerprint, None))
        if fingerprint != ask.fingerprint:
            raise KeyUsed
        return answer

    async def open_all(self, tables: Sequence[BulkTable], ask: CommandMetadata) -> BulkAnswer:
        """Open all rooms, or none."""
        wrong = Refused("bad_options", option="options", why="the house has no options")
        refused = [(place, wrong) for place, table in enumerate(tables) if table.rules["options"]]
        if refused:
            raise BadTables(refused)
        opened = tuple([await self._one(table, replace(ask, key=f"{ask.key}/{n}")) for n, table in enumerate(tables)])
        self._lists[ask.command] = (ask.fingerprint, BulkAnswer(opened))
        return BulkAnswer(opened)

    async def _one(self, table: BulkTable, ask: CommandMetadata) -> OpenedTable:
        room = await self.open(table.rules, ask, table.policy, table.card)
        seats = []
        for number, name in enumerate(table.names):
            sat = await self.join(
                UUID(room.match), name, "server", replace(ask, key=f"{ask.key}/seat-{number}"), room.invite
            )
            assert sat.seat is not None
            seats.append(BulkSeat(sat.seat, sat.token))
        return OpenedTable(room.match, room.version, room.head, tuple(seats), room.token, invite=room.invite)


class BotlessRooms(NamedRooms):
    """The part of the house that tells how bots took their turns: nobody plays here, and they took none."""

    @abstractmethod
    async def card(self, match_id: UUID) -> Card:
        """Return the card of a room."""

    async def bot_turns(self, match_id: UUID) -> list[ToldTurn]:
        """Return none, of a room there is."""
        await self.card(match_id)
        return []

    async def hand_in(self, match_id: UUID, _command: commands.MatchCommand, _ask: CommandMetadata) -> Answer:
        """Take nothing, of a room there is: nobody signs here."""
        await self.card(match_id)
        raise Refused("bad_signature", why="head_or_key")
