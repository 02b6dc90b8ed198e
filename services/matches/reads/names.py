"""Display names, remembered: a name is stored with the line that seats its player, and most never change.

Who is known beyond one tournament may have the name erased, in another program than this one; so theirs is remembered
for a moment only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from cachetools import LRUCache, TTLCache

from domain.ids import UnixMs
from domain.match.evolve import Match
from domain.seasons.members import is_player
from infra.clock import now_ms
from infra.store import People

PLAYERS_MAX: Final = 16_384
"""Names kept in memory, some 200 bytes each; the rest are read again."""
ERASABLE_MS: Final = 2_000
"""How long a name that can be erased is remembered."""


class NameCache:
    """What people call the players of matches."""

    def __init__(self, people: People, now: Callable[[], UnixMs] = now_ms) -> None:
        """Read names from here: each once, but those that can be erased each time this clock has gone on a little."""
        self._people = people
        self._known: LRUCache[str, str] = LRUCache(PLAYERS_MAX)
        self._erasable: TTLCache[str, str | None] = TTLCache(PLAYERS_MAX, ERASABLE_MS, timer=now)

    async def of(self, matches: Iterable[Match]) -> Mapping[str, str]:
        """Return the names of all who hold a seat in one of these matches, by player id. Cost: nothing, or a query."""
        return await self.of_all(players_in(matches))

    async def of_all(self, players: Iterable[str]) -> Mapping[str, str]:
        """Return the names of these, by player id; whose name was erased is not among them. Cost: as `of`."""
        found: dict[str, str | None] = {}
        unknown: list[str] = []
        for player in players:
            known = self._erasable if is_player(player) else self._known
            try:
                found[player] = known[player]
            except KeyError:  # the moment may pass between two looks
                unknown.append(player)
        if unknown:
            read = await self._people.names(set(unknown))
            self._keep(unknown, read)
            found |= read
        return {player: name for player, name in found.items() if name is not None}

    def _keep(self, asked: Iterable[str], read: Mapping[str, str]) -> None:
        for player in asked:
            if is_player(player):
                self._erasable[player] = read.get(player)
            elif player in read:
                self._known[player] = read[player]


def players_in(matches: Iterable[Match]) -> set[str]:
    """Return the ids of all who hold a seat in one of these matches."""
    # A match shares its seats with the version before it, so there are few to look through.
    seated = {id(match.seated): match.seated for match in matches}
    return {who.player for seats in seated.values() for who in seats.values()}


def erasable_in(matches: Iterable[Match]) -> list[str]:
    """Return the ids of those among them whose names can be erased, ascending."""
    return sorted(filter(is_player, players_in(matches)))
