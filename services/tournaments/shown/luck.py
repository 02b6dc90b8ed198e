"""Luck told beside standings: how far everybody's dice were above or below their mean, over rounds that are closed.

Each match is read once, and what came of it is remembered: of a round that is closed nothing is kept back, and no
match of it goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from cachetools import LRUCache

from domain.log import canonical
from domain.match.record import stream_of
from domain.statistics.luck import Luck, LuckRow, luck_of_match, luck_rows
from domain.statistics.screening.sittings import matches_that_count
from domain.tournaments.tournament import Tournament
from infra.store import EventStore
from services.work.failures import reading

MATCHES_MAX: Final = 4_096
"""Matches of which it is remembered: those of a thousand entrants in seven rounds and some more."""
AT_ONCE: Final = 16
"""Matches that are read and looked at together."""
_JOINED: Final = b'"type":"seat.joined","v":1}'

LuckByPlayer = Mapping[str, Luck]
"""How the hands of everybody at a match fell out, by the id of the player."""


class TournamentLuck:
    """How dice fell out in tournaments."""

    def __init__(self, store: EventStore) -> None:
        """Read matches from this store."""
        self._store = store
        self._known: LRUCache[str, LuckByPlayer] = LRUCache(MATCHES_MAX)

    async def rows(self, tournament: Tournament) -> tuple[LuckRow, ...]:
        """Return how the dice of everybody fell out whose hands were shown in full, by number.

        Cost: a query and a fold for each match that ended since it was asked last, in a thread.
        """
        names = [match for _, _, match in matches_that_count(tournament)]
        found = {name: self._known[name] for name in names if name in self._known}
        fresh = [name for name in names if name not in found]
        for at in range(0, len(fresh), AT_ONCE):
            some = {name: await self._store.read(stream_of(UUID(name))) for name in fresh[at : at + AT_ONCE]}
            with reading(stream_of(tournament.id)):
                found |= await asyncio.to_thread(_luck_in, some)
        self._known.update(found)
        number = {entrant.player: number for number, entrant in tournament.entrants.items()}
        return luck_rows(
            ([number[player] for player in found[name]], dict(enumerate(found[name].values(), start=1)))
            for name in names
        )


def _luck_in(matches: Mapping[str, Sequence[bytes]]) -> dict[str, LuckByPlayer]:
    return {name: _by_player(lines) for name, lines in matches.items()}


def _by_player(lines: Sequence[bytes]) -> LuckByPlayer:
    joined = [canonical.decode(line)["data"] for line in lines if line.endswith(_JOINED)]
    player = {data["seat"]: data["player"] for data in joined}
    return {player[seat]: luck for seat, luck in luck_of_match(lines).items()}
