"""Keeps the lists of tournaments: a row for each, in the store itself, on the shelf of its state and that of its game.

A tournament that cannot be read here keeps the row it has, and is named among those that are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from msgspec.structs import replace

from domain.ids import Version
from domain.tournaments.record import is_tournament, tournament_of
from infra.store import EventStore, ProjectionRow, Recorded
from projections.tournaments.overview import tournament_row
from services.relay.left_out import LeftOut
from services.tournaments.reads import ROWS, ROWS_OF_GAMES, TournamentQueries, shelf_of_game
from services.work.failures import Contained, Stuck


class TournamentProjector:
    """Writes a row for each tournament that moves, twice a second at most: each write is a commit."""

    name = ROWS
    page = 512
    pause_s = 0.5

    def __init__(self, store: EventStore, stuck: Stuck | None = None) -> None:
        """Read the log of this store, and write the rows into it; `stuck` is told what cannot be read."""
        self._store = store
        self._tournaments = TournamentQueries(store, None, stuck)
        self._left_out = LeftOut(store, self.name, stuck or Stuck())

    async def start(self, shard: int) -> int:
        """Return how far the rows of both lists have come; lists of games are made from the first line if none are.

        What was left out is looked at again, once: when this program was started.
        """
        position = min([await self._store.cursor(name, shard) for name in (ROWS, ROWS_OF_GAMES)])
        await self._left_out.load(shard)
        await self.try_again(shard, position)
        return position

    async def try_again(self, shard: int, position: int) -> None:
        """Write the rows of what was left out of a shard, where that is due."""
        due = self._left_out.due(shard)
        if due:
            await self._list(shard, dict.fromkeys(due), position)

    async def take(self, shard: int, page: Sequence[Recorded]) -> int:
        """Write the rows of the tournaments these lines belong to."""
        position = page[-1].position
        versions = {line.stream: line.seq + 1 for line in page if is_tournament(line.stream)}
        await self._list(shard, versions, position)
        return position

    async def _list(self, shard: int, streams: Mapping[str, Version | None], position: int) -> None:
        """Write the rows of these tournaments, of at least a version each or as they are, as they are at a position.

        Rows and cursor of a list are one transaction. What is left out is said with the list that is written last: a
        crash before that leaves these lines to be taken again, and what was tried again among what is left out.
        """
        rows: list[tuple[ProjectionRow, str]] = []
        tried: dict[str, Contained] = {}
        for stream, version in streams.items():
            with self._left_out.contain_failures(shard, stream) as tried[stream]:
                rows += await self._rows_of(stream, version)
        by_game = [replace(row, shelf=shelf_of_game(row.shelf, game)) for row, game in rows]
        await self._store.save_projection(ROWS_OF_GAMES, shard, position, by_game)
        left_out = self._left_out.row(shard, position, tried)
        await self._store.save_projection(ROWS, shard, position, [*(row for row, _ in rows), *left_out])
        self._left_out.note(shard, tried)

    async def _rows_of(self, stream: str, version: Version | None) -> list[tuple[ProjectionRow, str]]:
        """Return the row of a tournament, as it is by now, with its game; none for one that is private."""
        tournament_id = tournament_of(stream)
        card = await self._tournaments.card(tournament_id)
        if not card.listed:
            return []
        tournament = (await self._tournaments.load(tournament_id, version)).tournament
        row = tournament_row(tournament, card.name)
        kept = ProjectionRow(row.tournament, row.version, msgspec.json.encode(row), row.state, row.at)
        return [(kept, tournament.rules.match["game"])]
