"""Cards of tables, remembered: what people call a table, and whether everybody is told of it.

A card is written before the first line of its match, or never, so it is asked for only of matches that have begun, and
what was read once stays right; but for a name that is erased, which is forgotten with the next start.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from domain.match.record import stream_of
from infra.store import Card, Cards
from services.work.caches import LastUsed

CARDS_MAX: Final = 16_384
"""Cards kept in memory, most of them the same plain one; the rest are read again."""
PLAIN: Final = Card()
"""The card of a table that has none."""


class CardCache:
    """The cards of matches that have begun."""

    def __init__(self, cards: Cards) -> None:
        """Read cards from here, each once."""
        self._cards = cards
        self._known: LastUsed[str, Card] = LastUsed(CARDS_MAX)

    async def of(self, match_id: UUID) -> Card:
        """Return the card of a match. Cost: nothing, or a query."""
        return await self.of_stream(stream_of(match_id))

    async def of_stream(self, stream: str) -> Card:
        """Return the card of the match that this is the stream of."""
        known = self._known.get(stream)
        if known is None:
            known = self._known[stream] = await self._cards.card(stream) or PLAIN
        return known
