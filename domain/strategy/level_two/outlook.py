"""The outlook of level 2: what a seat sees, and what it believes of the dice it does not see."""

from __future__ import annotations

from fractions import Fraction
from typing import Final, Protocol

from msgspec import Struct

from domain.strategy.reading.reader import Beliefs
from domain.strategy.sight import Sight

HANDS_MAX: Final = 64
"""How many hands of a seat are gone through; of more than these, so many are drawn."""
DOUBT: Final = Fraction(1, 32)
"""How much level 2 doubts whoever it reads, throughout: between programs trust wins, though it is worse calibrated."""


class Drawing(Protocol):
    """Chance, given with the turn."""

    def draw(self, total: int) -> int:
        """Return one of 0 to `total - 1`."""


class Outlook(Struct, frozen=True):
    """What level 2 goes by.

    Attributes:
        sight: What the seat sees.
        beliefs: What its reading of the round has come to.
        chance: What hands are drawn by where there are more than are gone through.
    """

    sight: Sight
    beliefs: Beliefs
    chance: Drawing
