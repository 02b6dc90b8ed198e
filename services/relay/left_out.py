"""Streams that rows do not show: what could not be read or shown here, said in a row of each shard.

The row stands under the position of the rows, in the same transaction, so a program that can read such a stream,
started later, begins with those: the rows are right whoever was first, and whoever left what out. What failed for a
reason that may pass is tried again by the very program.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import msgspec

from domain.ids import UnixMs
from infra.store import SHARDS, ProjectionRow, Projections
from services.work.failures import Contained, Stuck, due_in

LEFT_OUT: Final = "left out"
"""The shelf of what the rows do not show: a row a shard."""


class LeftOut:
    """The streams that the rows of one projection do not show, by shard, and when each is tried again."""

    def __init__(self, rows: Projections, name: str, stuck: Stuck) -> None:
        """Keep them among the rows of this name, as that of whose work `stuck` is told; none are known yet."""
        self._rows = rows
        self._name = name
        self._stuck = stuck
        self._streams: defaultdict[int, set[str]] = defaultdict(set)
        self._again: defaultdict[int, dict[str, UnixMs]] = defaultdict(dict)

    async def load(self, shard: int) -> None:
        """Learn what is left out of a shard; what is new to this program is to be tried at once. Cost: a query.

        What has failed here is tried again even if another program has made up for it: so it is known to go on.
        """
        rows = await self._rows.projection(self._name, LEFT_OUT, SHARDS)
        docs = [row.doc for row in rows if row.key == _key(shard)]
        streams = {stream for doc in docs for stream in msgspec.json.decode(doc, type=list[str])}
        self._again[shard] = dict.fromkeys(sorted(streams - self._streams[shard]), 0) | self._again[shard]
        self._streams[shard] = streams

    @contextmanager
    def contain_failures(self, shard: int, stream: str) -> Iterator[Contained]:
        """Keep a fault in one stream from all others, and have it tried again, be it saved what came of it or not."""
        with self._stuck.contain_elsewhere(self._name, stream, shard) as contained:
            yield contained
        contained.put_back(self._again[shard], stream)

    def due(self, shard: int) -> list[str]:
        """Return the streams of a shard that are to be tried again by now."""
        return due_in(self._again[shard])

    def row(self, shard: int, position: int, tried: Mapping[str, Contained]) -> list[ProjectionRow]:
        """Return the row that says what is left out of a shard at a position, after these were tried.

        None, if it says nothing new. With each that failed it is said anew: another program may have said meanwhile
        that none is left out.
        """
        left_out = self._after(shard, tried)
        if left_out == self._streams[shard] and not any(one.failed for one in tried.values()):
            return []
        return [ProjectionRow(_key(shard), position, msgspec.json.encode(sorted(left_out)), LEFT_OUT)]

    def note(self, shard: int, tried: Mapping[str, Contained]) -> None:
        """Note that it is saved what came of these: those that failed are tried again, where that is of any use."""
        self._streams[shard] = self._after(shard, tried)
        for stream, contained in tried.items():
            self._again[shard].pop(stream, None)
            contained.put_back(self._again[shard], stream)

    def _after(self, shard: int, tried: Mapping[str, Contained]) -> set[str]:
        return (self._streams[shard] - tried.keys()) | {stream for stream, one in tried.items() if one.failed}


def _key(shard: int) -> str:
    """Return the name of the row of a shard; those of streams have an id."""
    return f"shard/{shard}"
