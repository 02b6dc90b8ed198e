"""Tallies of the house: what all its dice came to, and the sheets of its matches, as their projection has them."""

from __future__ import annotations

import asyncio

import msgspec

from domain.statistics.tallies import DiceTally, total_of
from domain.statistics.uniformity import Statistics, statistics
from infra.store import SHARDS, TOP, EventStore, ProjectionRow, RowPlace
from projections.sheets import ROWS, SHEETS, TOTALS, Sums, tally_of


class HouseTallies:
    """What the projection of statistics says, worked out again when it says something else."""

    def __init__(self, store: EventStore) -> None:
        """Read from this store."""
        self._store = store
        self._found = (frozenset[tuple[str, bytes]](), statistics(DiceTally()))

    async def statistics(self) -> Statistics:
        """Return what all dice of the house came to. Cost: a query, and some 30 ms in a thread if dice were rolled."""
        totals = await self._store.projection(ROWS, TOTALS, SHARDS)
        standing = frozenset((row.key, row.doc) for row in totals)
        if standing != self._found[0]:
            tally = total_of(tally_of(msgspec.json.decode(row.doc, type=Sums)) for row in totals)
            self._found = (standing, await asyncio.to_thread(statistics, tally))
        return self._found[1]

    async def sheets(self, limit: int, before: RowPlace = TOP) -> list[ProjectionRow]:
        """Return the sheets of at most `limit` matches that stand before this place, those that moved last first."""
        return await self._store.projection(ROWS, SHEETS, limit, before)
