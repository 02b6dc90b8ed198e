"""The house as a whole over several primaries: the one transparency log, where shards have come, webhooks.

Anchors wait where their lines are, and go to the one log at home. Its commit counts: what waits elsewhere is settled
behind it, and what a crash has left waiting is found in the log before it is entered again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice, zip_longest
from typing import Any

import asyncpg

from infra.config import HOME
from infra.measures.writes import WriteTally
from infra.store import SHARDS, Away, PendingAnchor, Unavailable, batches, shard_of
from infra.store.hooks import StoredHook
from infra.store.hooks.tables import FreeHook
from infra.store.postgres import PostgresStore


class HeardPositions(dict[int, int]):
    """The last position of each shard that was heard of."""

    def __missing__(self, shard: int) -> int:
        """Refuse to say where a shard is that was never heard of."""
        raise Away(f"the primary of shard {shard} has not answered yet", shard=shard)


class HouseLog(PostgresStore):
    """The home, with what it asks all others about."""

    def __init__(
        self, pool: asyncpg.Pool[Any], others: Mapping[str, PostgresStore], writes: WriteTally | None = None
    ) -> None:
        """Be the home on this pool, with these others beside it, by their names; all count what is written together."""
        super().__init__(pool, writes)
        self.others = others
        self.stores: dict[str, PostgresStore] = {HOME: self, **others}
        self._reached: dict[int, int] = {}

    async def positions(self) -> dict[int, int]:
        """Return the last position of each shard; of one whose primary is away, the last that was heard of, if any was.

        Raises:
            Unavailable: The home is away, or a shard is nowhere of which nothing was heard yet.
        """
        asked = (PostgresStore.positions(store) for store in self.stores.values())
        told = await asyncio.gather(*asked, return_exceptions=True)
        if isinstance(told[0], BaseException):
            raise told[0]
        for found in told:
            if not isinstance(found, BaseException):
                # Where a shard is on its way it is open nowhere, or a moment long known to be in two places.
                for shard, position in found.items():
                    self._reached[shard] = max(position, self._reached.get(shard, 0))
        if len(self._reached) < SHARDS and not any(isinstance(found, BaseException) for found in told):
            raise Unavailable("a shard is being moved")
        return HeardPositions(self._reached)

    async def log_pending(self, limit: int) -> list[PendingAnchor]:
        """Return the anchors that wait, some of each primary; one that is away keeps its own."""
        found = [await super().log_pending(limit)]
        for other in self.others.values():
            with suppress(Unavailable):
                found.append(await self._unentered(other, await PostgresStore.log_pending(other, limit)))
        dealt = chain.from_iterable(zip_longest(*found))
        return list(islice((one for one in dealt if one is not None), limit))

    async def _unentered(self, other: PostgresStore, waiting: list[PendingAnchor]) -> list[PendingAnchor]:
        """Return those of these anchors that are not in the log; the others wait no longer."""
        entered = await self.log_entered(waiting) if waiting else []
        if entered:
            await other.log_settle(entered)
        known = {anchor for _, anchor, _ in entered}
        return [one for one in waiting if one not in known]

    async def log_append(
        self, entries: Sequence[tuple[PendingAnchor, bytes]], hashes: Mapping[tuple[int, int], bytes], size: int
    ) -> bool:
        """Store entries with their tree hashes at home. A crash behind it leaves some waiting elsewhere, in the log."""
        if not await super().log_append(entries, hashes, size):
            return False
        settled = [(index, anchor, entry) for index, (anchor, entry) in enumerate(entries, start=size)]
        for other in self.others.values() if settled else ():
            with suppress(Unavailable):
                await other.log_settle(settled)
        return True

    async def lease_hooks(self, now: int, until: int, limit: int) -> list[StoredHook]:
        """Return hooks that there is something to do for: they are at home, and their streams anywhere."""
        free = await self.free_hooks(now)
        grown: dict[str, tuple[int, bool]] = {}
        for store in self.stores.values() if free else ():
            with suppress(Unavailable):
                grown |= await _grown(store, {one.stream for one in free})
        due = [one.id for one in free if _is_due(one, *grown.get(one.stream, (0, False)))]
        return await self.lease_these(now, until, due[:limit]) if due else []


async def _grown(store: PostgresStore, streams: set[str]) -> dict[str, tuple[int, bool]]:
    """Return how many lines streams have at a primary, and whether they have ended; only those of open shards."""
    opened = (await PostgresStore.positions(store)).keys()
    asked = [one for one in streams if shard_of(one) in opened]
    rows = await store.ask(batches.GROWN, [shard_of(one) for one in asked], asked)
    return {row["stream"]: (row["version"], row["ended"]) for row in rows}


def _is_due(hook: FreeHook, version: int, ended: bool) -> bool:  # noqa: FBT001 - a row as it was read
    return version > hook.seq or hook.is_due or (ended and not hook.waits)
