"""Display names of players, remembered: a name is stored with the line that seats its player, and never changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from cachetools import LRUCache

from domain.match.evolve import Match
from infra.store import People

PLAYERS_MAX: Final = 16_384
"""Names kept in memory, some 200 bytes each; the rest are read again."""


class NameCache:
    """What people call the players of matches."""

    def __init__(self, people: People) -> None:
        """Read names from here, each once."""
        self._people = people
        self._known: LRUCache[str, str] = LRUCache(PLAYERS_MAX)

    async def of(self, matches: Iterable[Match]) -> Mapping[str, str]:
        """Return the names of all who hold a seat in one of these matches, by player id. Cost: nothing, or a query."""
        # A match shares its seats with the version before it, so there are few to look through.
        seated = {id(match.seated): match.seated for match in matches}
        players = {who.player for seats in seated.values() for who in seats.values()}
        found = {player: self._known[player] for player in players if player in self._known}
        if len(found) < len(players):
            read = await self._people.names(players - found.keys())
            self._keep(read)
            found |= read
        return found

    def _keep(self, read: Mapping[str, str]) -> None:
        self._known.update(read)
