"""Rooms of the house without dice, whose people have names that can be erased: a view in place of the last one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any
from uuid import UUID

from msgspec.structs import replace

from domain.errors import Refused
from domain.fairness.names import SeatName, write_names
from projections.view import View
from services.matches.reads.records import LINES_MAX
from services.matches.requests import Answer, CommandMetadata, TakesKey
from services.matches.secrets.tokens import Holder


class NamedRooms(ABC):
    """The part of the house that tells lines and names, and erases these."""

    rooms: dict[UUID, Any]

    @abstractmethod
    async def view(self, match_id: UUID, viewer: Holder | None) -> View:
        """Return the last view of a room."""

    @abstractmethod
    async def record(self, match_id: UUID) -> bytes:
        """Return the record of a room."""

    async def lines(self, match_id: UUID, after: int, viewer: Holder | None) -> list[bytes]:
        """Return the lines of the record behind a version, to whoever asks."""
        assert viewer is None or viewer.seat
        return (await self.record(match_id)).splitlines()[after : after + LINES_MAX]

    async def names_told(self, match_id: UUID) -> bytes:
        """Return a name a line."""
        seats = (await self.view(match_id, None)).seats
        names = [(one, None if one.name == one.player else one.name) for one in seats]
        return write_names([SeatName(str(match_id), name, one.player, None, one.seat) for one, name in names])

    async def take_key(self, match_id: UUID, asked: TakesKey, ask: CommandMetadata) -> Answer:  # noqa: ARG002
        """Let nobody sign here."""
        await self.view(match_id, None)
        raise Refused("bad_key")

    async def erase_name(self, match_id: UUID, holder: Holder) -> bool:
        """Call whoever sits there by the id."""
        view = await self.view(match_id, None)
        seats = tuple(replace(one, name=one.player) if one.seat == holder.seat else one for one in view.seats)
        self.rooms[match_id].views[-1] = replace(view, seats=seats)
        return seats != view.seats
