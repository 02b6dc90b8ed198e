"""All the followers of one program together."""

from __future__ import annotations

from asyncio import TaskGroup

from infra.feed import Feed
from infra.store import SHARDS, EventStore
from services.matches.reads.milestones import Milestones
from services.relay.commit_signals import Pokes
from services.relay.follower import Follower, Lag
from services.relay.lobby_projector import Registrar
from services.relay.publisher import Private, Publisher
from services.relay.statistics_projector import Actuary
from services.work.failures import Stuck


class Relay:
    """Tells viewers and the lobby what happens, shard by shard, and counts dice. Any number may run at once."""

    def __init__(
        self,
        store: EventStore,
        feed: Feed,
        pokes: Pokes,
        private: Private | None = None,
        on_lag: Lag | None = None,
        milestones: Milestones | None = None,
        stuck: Stuck | None = None,
    ) -> None:
        """Follow this store and publish over this feed.

        Without `private`, the secrets of deals, there are no frames for seats. `on_lag` is told how far each work is
        behind, and `stuck` which matches it cannot go on with. Where other parts of the program fold matches, too, they
        share `milestones`.
        """
        stuck = stuck or Stuck()
        self._store = store
        shared = milestones or Milestones(store)
        works = (Publisher(store, feed, private, shared, stuck), Registrar(store, shared, stuck))
        told = on_lag or _untold
        self._runs = False
        self._followers = [Follower(work, shard, store, pokes, told) for work in works for shard in range(SHARDS)]
        # Nobody waits for statistics: while they are made anew, the program is as ready as ever.
        actuaries = [Actuary(store, shared.pace, stuck) for _ in range(SHARDS)]
        self._aside = [Follower(work, shard, store, pokes, told) for shard, work in enumerate(actuaries)]

    async def run(self) -> None:
        """Follow every shard until cancelled."""
        self._runs = True
        async with TaskGroup() as group:
            for follower in (*self._followers, *self._aside):
                group.create_task(follower.run())

    async def lag(self) -> int:
        """Return how many events the viewers furthest behind are behind; 0 for a relay that is not to run here.

        Cost: one query.
        """
        if not self._runs:
            return 0
        ends = await self._store.positions()
        return max(ends[follower.shard] - follower.position for follower in self._followers)


def _untold(_work: str, _shard: int, _behind: int) -> None:
    return
