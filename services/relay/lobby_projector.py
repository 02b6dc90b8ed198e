"""Keeps the lobby's rows, in the store itself, so that the lobby is right even while the bus is away.

A match that cannot be read here keeps the row it has, and is named among those that are left out. No row holds a name
that can be erased: whoever reads one asks for it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Final

from domain.match.record import PREFIX, MatchAtHead, is_match
from domain.tournaments.boards.record import is_board, step
from infra.store import EventStore, ProjectionRow, Recorded
from projections.lobby import row_of, shelf_of
from projections.view import view_of
from services.matches.reads.names import erasable_in
from services.matches.reads.shared import SharedReads, shared_reads
from services.matches.watching.listing import encode_row
from services.relay.left_out import LeftOut
from services.work.failures import Contained, Stuck, reading

_RELEASES: Final = (b'"type":"board.round_closed","v":1}', b'"type":"board.closed","v":1}')
"""How the lines end of boards after which more of their matches is shown."""


class LobbyProjector:
    """Writes a row for each match that moves, twice a second at most: each write is a commit.

    A page of the lobby asks anew after seconds.
    """

    name = "lobby"
    page = 512
    pause_s = 0.5

    def __init__(self, store: EventStore, shared: SharedReads | None = None, stuck: Stuck | None = None) -> None:
        """Read the log of this store, into `shared` memory, and write the rows into it."""
        self._store = store
        shared = shared or shared_reads(store)
        self._milestones, self._names, self._cards = shared.milestones, shared.names, shared.cards
        self._embargo = shared.embargo
        self._left_out = LeftOut(store, self.name, stuck or Stuck())

    async def start(self, shard: int) -> int:
        """Return how far the rows have come.

        What was left out is looked at again, once: when this program was started. A crash before the row of such a
        match is saved leaves it among those that are left out.
        """
        position = await self._store.cursor(self.name, shard)
        await self._left_out.load(shard)
        await self.try_again(shard, position)
        return position

    async def try_again(self, shard: int, position: int) -> None:
        """Write the rows of what was left out of a shard, where that is due."""
        due = self._left_out.due(shard)
        if due:
            await self._show(shard, dict.fromkeys(due), position)

    async def take(self, shard: int, page: Sequence[Recorded]) -> int:
        """Write the rows of the matches these lines belong to.

        Rows and cursor are one transaction: a crash before it leaves these lines to be taken again.
        """
        position = page[-1].position
        # A row shows its match after the last of its lines, for which those before it are folded anyway.
        moved: dict[str, Recorded | None] = {line.stream: line for line in page if is_match(line.stream)}
        for line in page:
            if is_board(line.stream) and line.line.endswith(_RELEASES):
                moved[line.stream] = None
        await self._show(shard, moved, position)
        return position

    async def _show(self, shard: int, streams: Mapping[str, Recorded | None], position: int) -> None:
        """Write the rows of these matches and of those of these boards, as they are at a position of the shard.

        Args:
            shard: Where the rows are to have come to the position.
            streams: The streams, each with the line after which it is shown; None for as it is by now.
            position: The position.
        """
        rows: dict[str, ProjectionRow] = {}
        tried: dict[str, Contained] = {}
        waiting = deque(streams.items())
        while waiting:
            stream, line = waiting.popleft()
            # What cannot be read here, be it a board, keeps no other stream from its row.
            with self._left_out.contain_failures(shard, stream) as contained:
                if is_board(stream):
                    waiting += [(match, None) for match in await self._matches_of(stream)]
                elif (row := await self._row_of(stream, line, must_be_over=stream not in streams)) is not None:
                    rows[row.key] = row
            if stream in streams or contained.failed:
                tried[stream] = contained
            await asyncio.sleep(0)  # after a rest there are hundreds of matches, and nobody waits for all of them
        left_out = self._left_out.row(shard, position, tried)
        await self._store.save_projection(self.name, shard, position, [*rows.values(), *left_out])
        self._left_out.note(shard, tried)

    async def _matches_of(self, board: str) -> list[str]:
        """Return the streams of the matches of a board, of which those that are over say nothing when it releases."""
        (first,) = await self._store.read(board, 0, 1)
        with reading(board, first):
            rules = step(None, first)[0].board.rules
        return [PREFIX + rules.match_at(table) for table in range(1, rules.tables + 1)]

    async def _row_of(self, stream: str, line: Recorded | None, *, must_be_over: bool) -> ProjectionRow | None:
        """Return the row of a match after a line or as it is by now; None if there is none yet, or it goes on."""
        written = await self._milestones.newest(stream) if line is None else (await self._milestones.after(line))[0]
        if written is None or (must_be_over and not written.match.ended):
            return None
        return await self._row(written)

    async def _row(self, written: MatchAtHead) -> ProjectionRow:
        written = await self._embargo.shown(written)
        card = await self._cards.of(written.match.id)
        names, erasable = await self._names.of([written.match]), erasable_in([written.match])
        kept = {player: name for player, name in names.items() if player not in erasable}
        seen = view_of(written, None, None, kept)
        row = row_of(seen, card.name, card.choices.delay_ms, written.match.deals_drawn)
        shelf = shelf_of(row, listed=card.listed)
        return ProjectionRow(row.match, row.version, encode_row(row, written.match), shelf, row.at)
