"""All the followers of one program together."""

from __future__ import annotations

from asyncio import TaskGroup

from infra.feed import Feed
from infra.store import SHARDS, EventStore
from services.matches.reads.shared import SharedReads, shared_reads
from services.relay.card_teller import CardTeller
from services.relay.follower import Follower
from services.relay.lobby_projector import LobbyProjector
from services.relay.publisher import Listeners, Publisher, SeatSecrets
from services.relay.statistics_projector import StatisticsProjector
from services.relay.tail import LogTail
from services.relay.tournament_projector import TournamentProjector
from services.work.failures import Stuck


class Relay:
    """Tells viewers and the lobby what happens, shard by shard, and counts dice. Any number may run at once.

    Attributes:
        publisher: What makes frames.
    """

    def __init__(
        self,
        store: EventStore,
        feed: Feed,
        tail: LogTail,
        private: SeatSecrets | None = None,
        shared: SharedReads | None = None,
        stuck: Stuck | None = None,
        audience: Listeners | None = None,
    ) -> None:
        """Follow this store and publish over this feed.

        Without `private`, the secrets of deals, there are no frames for seats. `stuck` is told which matches it cannot
        go on with. Where other parts of the program read matches, too, their memory is `shared`. There are frames for
        the seats that have an `audience`; without it, for all.
        """
        stuck = stuck or Stuck()
        self._store = store
        shared = shared or shared_reads(store)
        self.publisher = Publisher(store, feed, private, shared, stuck, audience)
        works = (
            self.publisher,
            LobbyProjector(store, shared, stuck),
            TournamentProjector(store, stuck),
        )
        self._runs = False
        self._followers = [Follower(work, shard, tail) for work in works for shard in range(SHARDS)]
        # Nobody waits for statistics: while they are made anew, the program is as ready as ever.
        actuaries = [StatisticsProjector(store, shared.milestones.pace, stuck, shared.cards) for _ in range(SHARDS)]
        self._aside = [Follower(work, shard, tail) for shard, work in enumerate(actuaries)]
        if audience is not None:
            # Nor for cards: whoever has none reads it.
            cards = CardTeller(store, feed, audience, stuck)
            self._aside += [Follower(cards, shard, tail) for shard in range(SHARDS)]

    async def run(self) -> None:
        """Follow every shard until cancelled."""
        self._runs = True
        async with TaskGroup() as group:
            for follower in (*self._followers, *self._aside):
                group.create_task(follower.run())

    @property
    def followers(self) -> list[Follower]:
        """Whoever follows the log here; nobody, for a relay that is not to run here."""
        return [*self._followers, *self._aside] if self._runs else []

    async def lag(self) -> int:
        """Return how many events the viewers furthest behind are behind; 0 for a relay that is not to run here.

        Cost: one query.
        """
        if not self._runs:
            return 0
        ends = await self._store.positions()
        # A shard that was never heard of is at a database that is away: nobody is behind there.
        there = (one for one in self._followers if one.shard in ends)
        return max((ends[one.shard] - one.position for one in there), default=0)
