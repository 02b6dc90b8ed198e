"""Cards of entrants over the bus: what one has to know now, whenever it is another, for programs beside the house.

Only for those for whom somebody is known to listen, as for frames of seats: a round of a thousand would be a thousand
cards. A card is what the record of the tournament says to everybody, laid out for one; the token of the seat at the
table and what an entrant alone is told are not in it, whoever may listen. Nothing is kept: what was missed is read.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from uuid import UUID

import msgspec
from cachetools import LRUCache

from domain.ids import UnixMs
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
from services.work.failures import Contained, Stuck, due_in

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
        self._told: LRUCache[tuple[UUID, int], bytes] = LRUCache(TOLD_MAX)
        self._again: defaultdict[int, dict[str, UnixMs]] = defaultdict(dict)

    async def start(self, shard: int) -> int:
        """Return where the log ends: of what was before, nobody waits to be told."""
        return (await self._store.positions())[shard]

    async def take(self, shard: int, page: Sequence[Recorded]) -> int:
        """Tell the cards that these lines may have changed. A crash leaves them untold, for whoever reads them."""
        streams: dict[str, list[Recorded]] = {}
        for line in page:
            if is_tournament(line.stream):
                streams.setdefault(line.stream, []).append(line)
        for stream, lines in streams.items():
            if self._audience.known_at(str(tournament_of(stream))):
                (await self._tell(stream, lines)).put_back(self._again[shard], stream)
        return page[-1].position

    async def try_again(self, shard: int, position: int) -> None:  # noqa: ARG002 - it tells how things are
        """Tell all cards of tournaments of which some could not be told, but for those that were told last."""
        for stream in due_in(self._again[shard]):
            contained = await self._tell(stream, None)
            del self._again[shard][stream]
            contained.put_back(self._again[shard], stream)

    async def _tell(self, stream: str, lines: Sequence[Recorded] | None) -> Contained:
        """Tell the cards of a tournament that these lines may have changed; for None any may be another."""
        with self._stuck.contain_failures(self.name, stream) as contained:
            version = None if lines is None else lines[-1].seq + 1
            tournament = (await self._tournaments.load(tournament_of(stream), version)).tournament
            said = [canonical.decode(line.line) for line in lines or ()]
            numbers = sorted(self._audience.known_at(str(tournament.id)) & tournament.entrants.keys())
            await self._tell_some(
                tournament,
                [one for one in numbers if lines is None or any(_touches(each, tournament, one) for each in said)],
            )
        return contained

    async def _tell_some(self, tournament: Tournament, numbers: Sequence[int]) -> None:
        names = await self._tournaments.names(tournament)
        for number in numbers:
            card = await asyncio.to_thread(card_of, tournament, names, number)
            body = msgspec.json.encode(CardFrame(card.version, card))
            told = msgspec.json.encode(msgspec.structs.replace(card, version=0))
            if self._told.get((tournament.id, number)) == told:
                continue
            # While the bus is away nobody hears: what was missed is read.
            with suppress(Unavailable):
                await self._feed.tell(str(tournament.id), number, card.version, body, "entrant")
            self._told[tournament.id, number] = told


def _touches(document: dict[str, object], tournament: Tournament, number: int) -> bool:
    entrant, data = tournament.entrants[number], document["data"]
    assert isinstance(data, dict), "a line has members"
    draws = any(who.player == entrant.player for who in tournament.drawers.values())
    return touches_card({"type": document["type"], **data}, entrant, draws=draws)
