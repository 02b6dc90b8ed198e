"""Cards of entrants over the bus: what one has to know now, whenever it is another, for programs beside the house.

Only for those for whom somebody is known to listen, as for frames of seats: a round of a thousand would be a thousand
cards. A card is what the record of the tournament says to everybody, laid out for one; the token of the seat at the
table and what an entrant alone is told are not in it, whoever may listen. Nothing is kept: what was missed is read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

import msgspec
from cachetools import LRUCache

from domain.ids import Seat
from domain.log import canonical
from domain.tournaments.record import is_tournament, tournament_of
from domain.tournaments.tournament import Tournament
from infra.feed import Feed
from infra.store import EventStore, Recorded, Unavailable
from projections.tournaments.cards import card_of
from projections.tournaments.exports.card_frames import CardFrame
from projections.tournaments.people import touches_card
from services.relay.publisher import Listeners
from services.tournaments.reads import TournamentQueries
from services.work.failures import Stuck

TOLD_MAX = 4_096
"""Cards of which is remembered what was told last; one that is not is told once more."""


class CardTeller:
    """Tells the cards of entrants that what happens may have changed."""

    name = "cards"
    page = 512
    pause_s = 0.2

    def __init__(self, store: EventStore, feed: Feed, audience: Listeners, stuck: Stuck | None = None) -> None:
        """Read the log of this store, and tell over this feed those that are listened for."""
        self._store = store
        self._feed = feed
        self._audience = audience
        self._stuck = stuck or Stuck()
        self._tournaments = TournamentQueries(store, None, stuck)
        self._told: LRUCache[tuple[str, int], bytes] = LRUCache(TOLD_MAX)

    async def start(self, shard: int) -> int:
        """Return where the log ends: of what was before, nobody waits to be told."""
        return (await self._store.positions())[shard]

    async def take(self, shard: int, page: Sequence[Recorded]) -> int:  # noqa: ARG002 - as followers have it
        """Tell the cards that these lines may have changed. A crash leaves them untold, for whoever reads them."""
        streams: dict[str, list[Recorded]] = {}
        for line in page:
            if is_tournament(line.stream):
                streams.setdefault(line.stream, []).append(line)
        for stream, lines in streams.items():
            numbers = self._audience.known_at(str(tournament_of(stream)))
            if numbers:
                with self._stuck.contain_failures(self.name, stream, reads=False):
                    await self._tell(stream, lines, numbers)
        return page[-1].position

    async def _tell(self, stream: str, lines: Sequence[Recorded], numbers: frozenset[Seat]) -> None:
        tournament = (await self._tournaments.load(tournament_of(stream), lines[-1].seq + 1)).tournament
        names = await self._tournaments.names(tournament)
        said = [canonical.decode(line.line) for line in lines]
        for number in sorted(numbers & tournament.entrants.keys()):
            if not any(_touches(document, tournament, number) for document in said):
                continue
            card = await asyncio.to_thread(card_of, tournament, names, number)
            body = msgspec.json.encode(CardFrame(card.version, card))
            told = msgspec.json.encode(msgspec.structs.replace(card, version=0))
            if self._told.get((stream, number)) == told:
                continue
            self._told[stream, number] = told
            # While the bus is away nobody hears: what was missed is read.
            with suppress(Unavailable):
                await self._feed.tell(str(tournament.id), number, card.version, body, "entrant")


def _touches(document: dict[str, object], tournament: Tournament, number: int) -> bool:
    entrant, data = tournament.entrants[number], document["data"]
    assert isinstance(data, dict), "a line has members"
    draws = any(who.player == entrant.player for who in tournament.drawers.values())
    return touches_card({"type": document["type"], **data}, entrant, draws=draws)
