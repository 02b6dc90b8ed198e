"""Seats and who holds them: players by opaque id, house bots among them, and the number the next one gets."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from msgspec import Struct

from domain.ids import Seat

BOT_PREFIX: Final = "bot/"
"""How the player id of a house bot begins, openly, in the log."""
SEAT_MAX: Final = 254
"""The highest seat of CUP/1; 255 is a cup that is shared."""


class Player(Struct, frozen=True):
    """Who sits in a seat.

    Attributes:
        player: An opaque id.
        custody: Whether the server draws the seat's seeds.
        stand_in: Whether a house bot plays the seat for its player.
        lent: Whether the server draws the seeds for as long as one does, and no longer.
        key: What the seat itself named last to sign with, as hex; None for one that signs nothing.
        key_named: What a host has named for it since, as hex: whether it holds, the seat's next command says.
    """

    player: str
    custody: bool = False
    stand_in: bool = False
    lent: bool = False
    key: str | None = None
    key_named: str | None = None

    @property
    def is_bot(self) -> bool:
        """Whether a bot of the house has this seat."""
        return self.player.startswith(BOT_PREFIX)

    @property
    def is_house(self) -> bool:
        """Whether the house plays this seat now, for itself or for whoever has it."""
        return self.is_bot or self.stand_in


def is_person(player: str) -> bool:
    """Report whether this is the id of a person, whose name is theirs, and not that of a bot of the house."""
    return not player.startswith(BOT_PREFIX)


def lowest_free_seat(taken: Collection[Seat]) -> Seat:
    """Return the lowest number that no seat has, from 1; above `SEAT_MAX` there is none."""
    return next(seat for seat in range(1, len(taken) + 2) if seat not in taken)
