"""Display names, remembered: a name is stored with the line that seats its player, and never changes.

It may be erased, in another program than this one; so erasures are counted once in a moment, and where there was one
all names are forgotten, which is as rare as it sounds. Names of bots are the house's, and stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Final

from cachetools import TTLCache

from domain.ids import UnixMs
from domain.match.evolve import Match
from domain.seats import is_person
from infra.clock import now_ms
from infra.store import People, Unavailable
from services.work.caches import LastUsed

PLAYERS_MAX: Final = 16_384
"""Names kept in memory, some 200 bytes each; the rest are read again."""
ERASABLE_MS: Final = 2_000
"""How long an erased name may still be told, and how long it is remembered of somebody that there is no name."""


class NameCache:
    """What people call the players of matches."""

    def __init__(self, people: People, now: Callable[[], UnixMs] = now_ms) -> None:
        """Read names from here, each once, and ask each time this clock has gone on a little whether any was erased."""
        self._people, self._now = people, now
        self._known: LastUsed[str, str] = LastUsed(PLAYERS_MAX)
        self._nameless: TTLCache[str, None] = TTLCache(PLAYERS_MAX, ERASABLE_MS, timer=now)
        self._erasures: int | None = None
        self._ask_at: UnixMs = 0

    async def of(self, matches: Iterable[Match]) -> Mapping[str, str]:
        """Return the names of all who hold a seat in one of these matches, by player id. Cost: as `of_all`."""
        return await self.of_all(players_in(matches))

    async def of_all(self, players: Iterable[str]) -> Mapping[str, str]:
        """Return the names of these, by player id; whose name was erased is not among them.

        Cost: nothing, or a query; one more for whoever asks first after a moment.
        """
        await self._forget_erased()
        found: dict[str, str] = {}
        unknown: set[str] = set()
        for player in players:
            name = self._known.get(player)
            if name is not None:
                found[player] = name
            elif player not in self._nameless:
                unknown.add(player)
        return found | await self._read(unknown) if unknown else found

    async def _forget_erased(self) -> None:
        """Forget all names if one was erased. Who asks meanwhile does not wait; a store that is away erases nothing."""
        now = self._now()
        if now < self._ask_at:
            return
        self._ask_at = now + ERASABLE_MS
        with suppress(Unavailable):
            erasures = await self._people.erasures()
            if erasures != self._erasures:
                self._erasures = erasures
                self._known.clear()
                self._nameless.clear()

    async def _read(self, unknown: set[str]) -> dict[str, str]:
        """Return the names of those that are not remembered, and remember them unless one was erased meanwhile."""
        before = self._erasures
        read = await self._people.names(unknown)
        if before is not None and before == self._erasures:
            self._known.update(read.items())
            self._nameless.update(dict.fromkeys(unknown - read.keys()))
        return read


def players_in(matches: Iterable[Match]) -> set[str]:
    """Return the ids of all who hold a seat in one of these matches."""
    # A match shares its seats with the version before it, so there are few to look through.
    seated = {id(match.seated): match.seated for match in matches}
    return {who.player for seats in seated.values() for who in seats.values()}


def erasable_in(matches: Iterable[Match]) -> list[str]:
    """Return the ids of those among them whose names can be erased, ascending."""
    return sorted(filter(is_person, players_in(matches)))
