"""Custody: for which seats the server draws seeds, as the lines of a record say one after the other.

A seed of a house bot is the house's in any case. A deal in which the house *drew* is one in which it drew the seed of
a seat that somebody else holds.

Source: CUP/1 sections 4.13 and 4.14.5.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from domain.ids import Seat
from domain.seats import is_person


class SeedDrawers:
    """Who draws the seeds of each seat, line by line.

    Attributes:
        server: The seats for which the server does.
    """

    def __init__(self) -> None:
        """Begin before the first line."""
        self.server: set[Seat] = set()
        self._bots: set[Seat] = set()

    def take(self, kind: str, data: Mapping[str, Any]) -> None:
        """Take in the next line; what a game's own line holds only its rules vouch for, so one may name no seat."""
        match kind, data:
            case "seat.joined", {"seat": int(seat), "player": str(player)}:
                # A seat that is taken anew is another's: its seeds are its own until a line says otherwise.
                self.server.discard(seat)
                (self._bots.discard if is_person(player) else self._bots.add)(seat)
            case "game.seed_custody", {"seat": int(seat), "by": "client"}:
                self.server.discard(seat)
            case "game.seed_custody", {"seat": int(seat)}:
                self.server.add(seat)
            case _:
                pass

    def house_drew(self, seats: Collection[Seat]) -> bool:
        """Report whether the server draws the seed of one of these seats that no bot of the house has."""
        return any(seat in self.server and seat not in self._bots for seat in seats)
