"""Names of whoever took a seat of a match: told with the salts of what its lines commit to, and erased."""

from __future__ import annotations

from abc import ABC, abstractmethod
from uuid import UUID

from domain.fairness.names import SeatName, seated_lines, write_names
from domain.fairness.records import split
from infra.store import EventStore
from services.matches.secrets.tokens import Holder


class SeatNames(ABC):
    """The part of the matches of the house that tells names, and erases them where the store lets it."""

    _store: EventStore

    @abstractmethod
    async def record(self, match_id: UUID) -> bytes:
        """Return the record file of a match."""

    async def names_told(self, match_id: UUID) -> bytes:
        """Return the file of names of a match: whoever took a seat, in the order of the lines that say so.

        Nobody's name is taken from memory, so one that was erased is told to nobody any more. Cost: the record, and two
        queries.

        Raises:
            UnknownMatch: There is no such match.
        """
        # Whoever took the own seat again, with a key, is told of once, by the line that holds.
        seated = {each.player: each for each in seated_lines(split(await self.record(match_id)).lines)}
        players = {*seated}
        names, salts = await self._store.names(players), await self._store.salts(players)
        return write_names(
            [
                SeatName(
                    match=str(match_id),
                    name=names.get(each.player),
                    player=each.player,
                    salt=salts[each.player].hex() if each.player in salts else None,
                    seat=each.seat,
                )
                for each in seated.values()
            ]
        )

    async def erase_name(self, match_id: UUID, holder: Holder) -> bool:  # noqa: ARG002 - a token is of one match
        """Erase what the holder of a seat is called, and report whether there was a name. Needs the dealer's role."""
        return await self._store.erase_name(holder.player)
