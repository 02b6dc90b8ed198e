"""Serials: hands of so many tokens that a belief about them holds only some, drawn as often as they come up.

What is drawn is the prior; reading weighs each of them exactly, so all that follows is an estimate and says so. Source:
sections 5.3 and 9.3 of the specification.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Final

from domain.rules.rules import Faces
from domain.strategy.chance import Lot, Words
from domain.strategy.hands import Hands, all_hands

DRAWN: Final = 4_096
"""How many hands are drawn for a seat and round: eight digits come in 24,310."""
MOST: Final = 1_024
"""Up to how many hands all are gone through."""


def hands_or_some(dice: int, faces: Faces, words: Words) -> Hands:
    """Return all hands of so many tokens, or some of them drawn where they are too many."""
    every = all_hands(dice, faces)
    if len(every) <= MOST:
        return every
    drawn = Counter([_lot_of(dice, faces).draw(words) for _ in range(DRAWN)])
    places = sorted(drawn)
    return Hands([every.hands[place] for place in places], [drawn[place] for place in places])


@lru_cache(maxsize=16)
def _lot_of(dice: int, faces: Faces) -> Lot:
    return Lot(all_hands(dice, faces).ways)
