"""Keeps the list of tournaments: a row for each, in the store itself, on the shelf of its state.

A tournament that cannot be read here keeps the row it has until it moves again.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from domain.tournaments.record import is_tournament, tournament_of
from infra.store import EventStore, ProjectionRow, Recorded
from projections.tournaments.overview import tournament_row
from services.tournaments.reads import ROWS, TournamentQueries
from services.work.failures import Stuck


class TournamentProjector:
    """Writes a row for each tournament that moves, twice a second at most: each write is a commit."""

    name = ROWS
    page = 512
    pause_s = 0.5

    def __init__(self, store: EventStore, stuck: Stuck | None = None) -> None:
        """Read the log of this store, and write the rows into it; `stuck` is told what cannot be read."""
        self._store = store
        self._stuck = stuck or Stuck()
        self._tournaments = TournamentQueries(store, None, stuck)

    async def start(self, shard: int) -> int:
        """Return how far the rows have come."""
        return await self._store.cursor(self.name, shard)

    async def take(self, shard: int, page: Sequence[Recorded]) -> int:
        """Write the rows of the tournaments these lines belong to.

        Rows and cursor are one transaction: a crash before it leaves these lines to be taken again.
        """
        position = page[-1].position
        rows: list[ProjectionRow] = []
        for stream, version in {line.stream: line.seq + 1 for line in page if is_tournament(line.stream)}.items():
            with self._stuck.contain_failures(self.name, stream):
                rows += await self._rows_of(stream, version)
        await self._store.save_projection(self.name, shard, position, rows)
        return position

    async def _rows_of(self, stream: str, version: int) -> list[ProjectionRow]:
        """Return the row of a tournament, as it is by now; none for one that is private."""
        tournament_id = tournament_of(stream)
        card = await self._tournaments.card(tournament_id)
        if not card.listed:
            return []
        row = tournament_row((await self._tournaments.load(tournament_id, version)).tournament, card.name)
        return [ProjectionRow(row.tournament, row.version, msgspec.json.encode(row), row.state, row.at)]
