"""The ways in which house bots play, and what a bot's player id says of its own."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from domain.seats import BOT_PREFIX


class Manner(Struct, frozen=True):
    """A way to play.

    Attributes:
        nerve: How often it expects others to believe a plausible claim that is false.
        reach: What share of the worth it gives up to be hard to read.
        bluff: How often it counts a die it does not have.
    """

    nerve: float
    reach: float
    bluff: float


MANNERS: Final = {
    "cautious": Manner(nerve=0.15, reach=0.05, bluff=0.04),
    "steady": Manner(nerve=0.35, reach=0.1, bluff=0.12),
    "bold": Manner(nerve=0.6, reach=0.15, bluff=0.3),
}


def manner_of(player: str) -> Manner:
    """Return the manner in a bot's player id, `bot/<manner>/<number>`; an unknown one is played steadily."""
    return MANNERS.get(player.removeprefix(BOT_PREFIX).partition("/")[0], MANNERS["steady"])
