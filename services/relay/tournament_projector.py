"""Keeps the lists of tournaments: a row for each, in the store itself, on the shelf of its state and that of its game.

A tournament that cannot be read here keeps the row it has until it moves again.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from domain.tournaments.record import is_tournament, tournament_of
from infra.store import EventStore, ProjectionRow, Recorded
from projections.tournaments.overview import tournament_row
from services.tournaments.reads import ROWS, ROWS_OF_GAMES, TournamentQueries, shelf_of_game
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
        """Return how far the rows of both lists have come; lists of games are made from the first line if none are."""
        return min([await self._store.cursor(name, shard) for name in (ROWS, ROWS_OF_GAMES)])

    async def take(self, shard: int, page: Sequence[Recorded]) -> int:
        """Write the rows of the tournaments these lines belong to.

        Rows and cursor of a list are one transaction: a crash before the second leaves these lines to be taken again.
        """
        position = page[-1].position
        rows: list[tuple[ProjectionRow, str]] = []
        for stream, version in {line.stream: line.seq + 1 for line in page if is_tournament(line.stream)}.items():
            with self._stuck.contain_failures(self.name, stream):
                rows += await self._rows_of(stream, version)
        await self._store.save_projection(ROWS, shard, position, [row for row, _ in rows])
        by_game = [replace(row, shelf=shelf_of_game(row.shelf, game)) for row, game in rows]
        await self._store.save_projection(ROWS_OF_GAMES, shard, position, by_game)
        return position

    async def _rows_of(self, stream: str, version: int) -> list[tuple[ProjectionRow, str]]:
        """Return the row of a tournament, as it is by now, with its game; none for one that is private."""
        tournament_id = tournament_of(stream)
        card = await self._tournaments.card(tournament_id)
        if not card.listed:
            return []
        tournament = (await self._tournaments.load(tournament_id, version)).tournament
        row = tournament_row(tournament, card.name)
        kept = ProjectionRow(row.tournament, row.version, msgspec.json.encode(row), row.state, row.at)
        return [(kept, tournament.rules.match["game"])]
