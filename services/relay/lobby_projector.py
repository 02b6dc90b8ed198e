"""Keeps the lobby's rows, in the store itself, so that the lobby is right even while the bus is away.

A match that cannot be read here keeps the row it has, and is named in a row of its shard, under the same position: a
program that can read it, started later, begins with those. So the rows are right whoever was first, and whoever left
what out. No row holds a name that can be erased: whoever reads one asks for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from domain.match.record import PREFIX, MatchAtHead, is_match
from domain.tournaments.boards.record import is_board, step
from infra.store import SHARDS, EventStore, ProjectionRow, Recorded
from projections.lobby import row_of, shelf_of
from projections.view import view_of
from services.matches.reads.names import erasable_in
from services.matches.reads.shared import SharedReads, shared_reads
from services.matches.watching.listing import encode_row
from services.work.failures import Stuck, Unreadable

_RELEASES: Final = (b'"type":"board.round_closed","v":1}', b'"type":"board.closed","v":1}')
"""How the lines end of boards after which more of their matches is shown."""
LEFT_OUT: Final = "left out"
"""The shelf of what the rows do not show: a row a shard."""


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
        self._stuck = stuck or Stuck()
        shared = shared or shared_reads(store)
        self._milestones, self._names, self._cards = shared.milestones, shared.names, shared.cards
        self._embargo = shared.embargo
        self._left_out: dict[int, set[str]] = {}

    async def start(self, shard: int) -> int:
        """Return how far the rows have come.

        What was left out is looked at again, once: when this program was started. A crash before the row of such a
        match is saved leaves it among those that are left out.
        """
        position = await self._store.cursor(self.name, shard)
        if shard not in self._left_out:
            left_out = await self._load_left_out(shard)
            rows = [row for stream in sorted(left_out) if (row := await self._newest(stream)) is not None]
            left_out -= {f"{PREFIX}{row.key}" for row in rows}
            if rows:
                rows.append(_row_of_left_out(shard, position, left_out))
                await self._store.save_projection(self.name, shard, position, rows)
            self._left_out[shard] = left_out
        return position

    async def _load_left_out(self, shard: int) -> set[str]:
        """Return the streams of a shard that were left out."""
        rows = await self._store.projection(self.name, LEFT_OUT, SHARDS)
        return {
            stream for row in rows if row.key == _key(shard) for stream in msgspec.json.decode(row.doc, type=list[str])
        }

    async def _newest(self, stream: str) -> ProjectionRow | None:
        """Return the row of a match that was left out; None if it still cannot be read."""
        with self._stuck.contain_failures(self.name, stream):
            written = await self._milestones.newest(stream)
            return None if written is None else await self._row(written)
        return None

    async def take(self, shard: int, page: Sequence[Recorded]) -> int:
        """Write the rows of the matches these lines belong to.

        Rows and cursor are one transaction: a crash before it leaves these lines to be taken again.
        """
        position = page[-1].position
        touched: dict[str, MatchAtHead | Unreadable] = {}
        # A row shows its match after the last of its lines, for which those before it are folded anyway.
        for stream, line in {line.stream: line for line in page if is_match(line.stream)}.items():
            touched[stream] = await self._after(line)
            await asyncio.sleep(0)  # after a rest there are hundreds of matches, and nobody waits for all of them
        touched |= await self._released(page)
        rows = {stream: await self._make_row(stream, written) for stream, written in touched.items()}
        unread = {stream for stream, row in rows.items() if row is None}
        known = self._left_out.setdefault(shard, set())
        left_out = (known - touched.keys()) | unread
        saved = [row for row in rows.values() if row is not None]
        if unread or left_out != known:
            # Said anew with every line that is left out: another program may have said meanwhile that none is.
            saved.append(_row_of_left_out(shard, position, left_out))
        await self._store.save_projection(self.name, shard, position, saved)
        self._left_out[shard] = left_out
        return position

    async def _released(self, page: Sequence[Recorded]) -> dict[str, MatchAtHead | Unreadable]:
        """Return the matches that are over and were kept back until now: nothing of theirs says that they are not."""
        found: dict[str, MatchAtHead | Unreadable] = {}
        for board in {line.stream for line in page if is_board(line.stream) and line.line.endswith(_RELEASES)}:
            # A board that cannot be read here keeps no other stream from its row.
            with self._stuck.contain_failures(self.name, board):
                (first,) = await self._store.read(board, 0, 1)
                rules = step(None, first)[0].board.rules
                for stream in (PREFIX + rules.match_at(table) for table in range(1, rules.tables + 1)):
                    newest = await self._milestones.newest(stream)
                    found |= {} if newest is None or not newest.match.ended else {stream: newest}
        return found

    async def _after(self, line: Recorded) -> MatchAtHead | Unreadable:
        try:
            return (await self._milestones.after(line))[0]
        except Unreadable as unreadable:
            return unreadable

    async def _make_row(self, stream: str, written: MatchAtHead | Unreadable) -> ProjectionRow | None:
        """Return the row of a match; None if it cannot be read or shown here."""
        with self._stuck.contain_failures(self.name, stream):
            if isinstance(written, Unreadable):
                raise written
            return await self._row(written)
        return None

    async def _row(self, written: MatchAtHead) -> ProjectionRow:
        written = await self._embargo.shown(written)
        card = await self._cards.of(written.match.id)
        names, erasable = await self._names.of([written.match]), erasable_in([written.match])
        kept = {player: name for player, name in names.items() if player not in erasable}
        seen = view_of(written, None, None, kept)
        row = row_of(seen, card.name, card.choices.delay_ms, written.match.deals_drawn)
        shelf = shelf_of(row, listed=card.listed)
        return ProjectionRow(row.match, row.version, encode_row(row, written.match), shelf, row.at)


def _row_of_left_out(shard: int, position: int, streams: Iterable[str]) -> ProjectionRow:
    """Return the row that says what the rows of a shard do not show at this position; those of matches have an id."""
    return ProjectionRow(_key(shard), position, msgspec.json.encode(sorted(streams)), LEFT_OUT)


def _key(shard: int) -> str:
    return f"shard/{shard}"
