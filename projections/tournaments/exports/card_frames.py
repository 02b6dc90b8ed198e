"""Frames of cards: what one entrant has to know as of a version, for whoever may hear of it."""

from __future__ import annotations

from msgspec import Struct

from domain.ids import Version
from projections.tournaments.cards import EntrantCard


class CardFrame(Struct, frozen=True):
    """The card of an entrant as of a version of the tournament: what all may know of it, and no token.

    Attributes:
        card: The card.
    """

    version: Version
    card: EntrantCard
