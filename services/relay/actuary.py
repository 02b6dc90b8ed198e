"""Keeps what all dice came to: a sheet a match, and a total a shard, in the store itself.

The law of the file: the total of a shard is what its lines up to a position come to, and is stored under that position
together with the sheets, in one transaction. So a match counts once, whoever is killed: whoever begins, begins where a
stored total ends; and of two who write, both write the same, or the one who has come further stays. Without rows it
begins with the first line, so deleting them makes everything anew.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from itertools import groupby
from typing import Final

import msgspec
from msgspec import Struct

from domain.log import canonical
from domain.tally import Counting, Tally, moved
from infra.events import SHARDS, EventStore, Recorded, Row
from projections.sheets import Sheet, Sums, sums_of, tally_of
from services.pace import Pace

NAME: Final = "statistics"
TOTALS: Final = "totals"
"""The shelf of the total of each shard."""
SHEETS: Final = "sheets"
"""The shelf of the sheets of all matches that have rolled dice."""
MATCHES_MAX: Final = 64
"""Matches of a shard kept in memory, some tens of kilobytes each; the rest are read again from the log."""
_END: Final = b'"type":"match.ended","v":1}'


class _Kept(Struct):
    """A match in memory: as far as it was counted, and what that came to."""

    counting: Counting
    tally: Tally = Tally()
    version: int = 0


class Actuary:
    """Counts the dice of each match that moves."""

    name = NAME
    page = 1_024
    pause_s = 1.0

    def __init__(self, store: EventStore, pace: Pace | None = None) -> None:
        """Read the log of this store at this pace, and write the rows into it."""
        self._store = store
        self._pace = pace or Pace()
        self._totals: dict[int, Tally] = {}
        self._kept: dict[int, OrderedDict[str, _Kept]] = {}

    async def start(self, shard: int) -> int:
        """Return the position of the stored total."""
        rows = {row.key: row for row in await self._store.projection(NAME, TOTALS, SHARDS)}
        row = rows.get(str(shard))
        self._kept[shard] = OrderedDict()
        self._totals[shard] = Tally() if row is None else tally_of(msgspec.json.decode(row.doc, type=Sums))
        return 0 if row is None else row.version

    async def take(self, shard: int, page: Sequence[Recorded]) -> int:
        """Count these lines.

        A crash before the rows are saved leaves them all to be made again: memory is dropped by `start`.
        """
        position, changes, rows = page[-1].position, [], []
        for stream, group in groupby(sorted(page, key=_stream), key=_stream):
            lines = list(group)
            kept = await self._caught_up(shard, stream, lines[0].seq)
            before = kept.tally
            await self._count(kept, [line.line for line in lines])
            if not lines[-1].line.endswith(_END):
                self._keep(shard, stream, kept)
            if kept.tally != Tally():
                changes.append((before, kept.tally))
                rows.append(_row(stream, lines[-1], kept))
        self._totals[shard] = moved(self._totals[shard], changes)
        total = msgspec.json.encode(sums_of(self._totals[shard]))
        rows.append(Row(str(shard), position, total, TOTALS))
        await self._store.save_projection(NAME, shard, position, rows)
        return position

    async def _caught_up(self, shard: int, stream: str, version: int) -> _Kept:
        """Return a match as it is counted in the total: up to this version."""
        found = self._kept[shard].pop(stream, None)
        if found is None:
            found = _Kept(Counting())
            while found.version < version:
                page = min(self.page, version - found.version)
                await self._count(found, await self._store.read(stream, found.version, page))
        assert found.version == version, "lines come in order, each once"
        return found

    async def _count(self, kept: _Kept, lines: Sequence[bytes]) -> None:
        """Count some more lines of a match, in slices of the event loop."""
        if any(await self._pace.collect(spoke for line in lines for spoke in kept.counting.steps(line))):
            kept.tally = kept.counting.tally
        kept.version += len(lines)

    def _keep(self, shard: int, stream: str, kept: _Kept) -> None:
        self._kept[shard][stream] = kept
        if len(self._kept[shard]) > MATCHES_MAX:
            self._kept[shard].popitem(last=False)


def _stream(line: Recorded) -> str:
    return line.stream


def _row(stream: str, last: Recorded, kept: _Kept) -> Row:
    players = {str(seat): player for seat, player in sorted(kept.counting.players.items())}
    match = stream.removeprefix("match/")
    sheet = Sheet(match, kept.version, canonical.head(last.line), players, sums_of(kept.tally))
    return Row(match, kept.version, msgspec.json.encode(sheet), SHEETS, canonical.decode(last.line)["at"])
