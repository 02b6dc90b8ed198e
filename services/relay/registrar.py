"""Keeps the lobby's rows, in the store itself, so that the lobby is right even while the bus is away."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec

from infra.events import EventStore, Recorded, Row
from projections.lobby import row_of, state_of
from projections.view import view_of
from services.milestones import Milestones
from services.relay.folds import Folds, Followed


class Registrar:
    """Writes a row for each match that moves, a few times a second at most: each write is a commit."""

    name = "lobby"
    page = 512
    pause_s = 0.25

    def __init__(self, store: EventStore, milestones: Milestones | None = None) -> None:
        """Read the log of this store, by these milestones, and write the rows into it."""
        self._store = store
        self._folds = Folds(store, milestones=milestones)

    async def start(self, shard: int) -> int:
        """Return how far the rows have come."""
        return await self._store.cursor(self.name, shard)

    async def take(self, shard: int, page: Sequence[Recorded]) -> int:
        """Write the rows of the matches these lines belong to.

        Rows and cursor are one transaction: a crash before it leaves these lines to be taken again.
        """
        touched: dict[str, Followed] = {}
        for line in page:
            touched[line.stream] = await self._folds.after(line)
            await asyncio.sleep(0)  # after a rest there are hundreds of lines, and nobody waits for all of them
        rows = [_row(followed) for followed in touched.values()]
        await self._store.save_projection(self.name, shard, page[-1].position, rows)
        return page[-1].position


def _row(followed: Followed) -> Row:
    row = row_of(view_of(followed.written, None, None, followed.names))
    return Row(row.match, row.version, msgspec.json.encode(row), state_of(row), row.at)
