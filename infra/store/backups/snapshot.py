"""A state of a house, read once more to be checked: streams, lines, answers, entries, hashes, checkpoints.

Nothing that is read here is believed. A stream is held as a whole, and of the transparency log a part.

Of a house with several primaries it is one moment of all of them. What is of a stream is read where its shard is open;
what moves have left elsewhere is no part of the house. All else is at home.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import groupby
from typing import Final

import asyncpg
from msgspec import Struct

from infra.config import HOME
from infra.store import SHARDS, Card, ProjectionRow, shard_of
from infra.store.backups.cutting import SETTINGS, cut
from infra.store.erasable import CARD, card_of
from infra.store.logins import connect
from infra.store.primaries.places import PLACES, stream_beside
from infra.store.primaries.routed import LIVE
from infra.store.transparency.log_tables import HASHES, POLICIES, SIZE

HERE: Final = "select shard, position from shard where closed_at is null order by shard"
LINES_OF_ALL: Final = (
    "with gone as (select array(select shard from shard where closed_at is not null) as shards)"
    " select (select count(*) from event, gone where shard <> all (shards))"
    " + (select coalesce(sum(cardinality(positions)), 0)::bigint from archive, gone where shard <> all (shards))"
)
STREAMS: Final = "select stream, version from stream where shard = $1 order by stream"
LINES: Final = "select seq, position, body from event where shard = $1 and stream = $2 order by seq"
ARCHIVED: Final = "select positions, lines from archive where shard = $1 and stream = $2"
ANSWERS: Final = "select answer from command where shard = $1 and stream = $2"
COMING: Final = "select seq, head from log_outbox where stream = $1 order by seq, kind"
STRAYS: Final = {
    "stored answers": "command",
    "tokens": "token",
    "secrets": "vault.secret",
    "entries that wait for the log": "log_outbox",
}
"""What is of a stream, and the table where it stands."""
ALL_CURSORS: Final = "select name, shard, position from projection_cursor order by name, shard"
MOVING: Final = "ready"
"""The cursor that says how far a move has come, and is none of a projection."""
CURSORS: Final = "select name, position from projection_cursor where shard = $1"
ROWS: Final = "select name, key, version, doc, shelf, at from projection where name = any($1) and key = $2"
ROW_COUNT: Final = "select count(*) from projection where name = any($1)"
SERVED: Final = "select stream, body from access_line order by stream, seq"
ANCHORS: Final = "select seq, kind, entry from log_entry where stream = $1 order by index"
ENTRIES: Final = "select index, entry from log_entry where index >= $1 order by index limit $2"
COPIES: Final = "select * from log_entry where index >= $1 order by index limit $2"
COPIED: Final = "select * from log_entry where index = any ($1::bigint[]) order by index"
NOTES: Final = "select size, policy, note from log_checkpoint where size > $1 and size <= $2 order by size, policy"
NEWEST: Final = "select note, policy from log_checkpoint order by size desc, policy desc limit 1"
PART: Final = 1_000
"""How many rows are fetched at a time."""


class StoredStream(Struct, frozen=True):
    """A stream as it stands in the database.

    Attributes:
        name: What it is called.
        version: How many lines it should have.
        lines: Those it has, in order.
        positions: Where they are in their shard, one for each.
    """

    name: str
    version: int
    lines: tuple[bytes, ...]
    positions: tuple[int, ...]


class StoredNote(Struct, frozen=True):
    """A checkpoint as it was published: how many entries it covers, and the number of the policy it met."""

    size: int
    policy: int
    note: str


class Snapshot:
    """One state of a house. Open it with `snapshot_of`, and ask for its positions first."""

    def __init__(self, home: asyncpg.Connection, others: Mapping[str, asyncpg.Connection] | None = None) -> None:
        """Read over this connection to the home, and over those to other primaries, all of them in transactions."""
        self._home = home
        self._others = dict(others or {})
        self._open: dict[int, asyncpg.Connection] = {}

    @property
    def _parts(self) -> dict[str, asyncpg.Connection]:
        return {HOME: self._home, **self._others}

    def _at(self, shard: int) -> asyncpg.Connection:
        return self._open.get(shard, self._home)

    def _of(self, stream: str) -> asyncpg.Connection:
        return self._at(shard_of(stream_beside(stream)))

    async def positions(self) -> dict[int, int]:
        """Return the last position of each shard that is open somewhere."""
        found = {}
        for part in self._parts.values():
            for row in await part.fetch(HERE):
                found[row["shard"]] = row["position"]
                self._open[row["shard"]] = part
        return found

    async def misplaced(self) -> list[str]:
        """Return which shards are not open where the home says that they live, or are open elsewhere as well."""
        opened = defaultdict[int, list[str]](list)
        for name, part in self._parts.items():
            for row in await part.fetch(HERE):
                opened[row["shard"]].append(name)
        lives = {row["shard"]: row["lives_at"] for row in await self._home.fetch(PLACES)}
        return [
            f"shard {shard} lives at {lives.get(shard, 'no primary')}, and is open at"
            f" {' and '.join(opened[shard]) or 'none'}: finish its move, or name all primaries in TRUECUP_SHARDS"
            for shard in range(SHARDS)
            if opened[shard] != [lives.get(shard)]
        ]

    async def copied_entries_amiss(self) -> list[str]:
        """Return which primaries have an entry of the log that the home has not. Cost: reads all their copies."""
        found = []
        for name, part in self._others.items():
            first = 0
            while copies := await part.fetch(COPIES, first, PART):
                first = copies[-1]["index"] + 1
                if copies != await self._home.fetch(COPIED, [row["index"] for row in copies]):
                    found.append(f"{name} has entries of the log that the home has not: they are not of one moment")
                    break
        return found

    async def line_count(self) -> int:
        """Return how many lines there are in shards that are open, whatever they belong to."""
        return sum([int(await part.fetchval(LINES_OF_ALL)) for part in self._parts.values()])

    async def streams(self, shard: int) -> AsyncIterator[StoredStream]:
        """Yield the streams of a shard. Cost: two queries for each."""
        part = self._at(shard)
        async for row in part.cursor(STREAMS, shard, prefetch=PART):
            lines = await part.fetch(LINES, shard, row["stream"])
            archived = await part.fetchrow(ARCHIVED, shard, row["stream"])
            old = [] if archived is None else archived["lines"].encode().split(b"\n")
            places = [] if archived is None else archived["positions"]
            yield StoredStream(
                row["stream"],
                row["version"],
                (*old, *(line["body"].encode() for line in lines)),
                (*places, *(line["position"] for line in lines)),
            )

    async def served(self) -> AsyncIterator[tuple[str, list[bytes]]]:
        """Yield the streams of who saw what, with their lines."""
        for part in self._parts.values():
            async for name, lines in _served_at(part):
                if self._of(name) is part:
                    yield name, lines

    async def answers(self, shard: int, stream: str) -> list[bytes]:
        """Return what the commands of a stream were answered."""
        return [row["answer"] for row in await self._at(shard).fetch(ANSWERS, shard, stream)]

    async def coming(self, stream: str) -> list[tuple[int, str]]:
        """Return the lines of a stream that wait for their entry in the transparency log, each with its hash."""
        return [tuple(row) for row in await self._of(stream).fetch(COMING, stream)]

    async def strays(self) -> dict[str, int]:
        """Return how much there is that is of a stream which is not there, by what it is."""
        found = Counter[str]()
        for part in self._parts.values():
            for what, table in STRAYS.items():
                rest = f"from {table} t where not exists (select from stream s where s.stream = t.stream)"
                # Who saw what has lines that wait for the log as well, and stands in no list of streams.
                seen = " and not exists (select from access_line a where a.stream = t.stream)"
                for row in await part.fetch(f"select t.stream, count(*) as n {rest}{seen} group by t.stream"):
                    found[what] += row["n"] if self._of(row["stream"]) is part else 0
        return found

    async def projections_ahead(self) -> list[tuple[str, int]]:
        """Return the projections that have seen more of a shard than there is, with that shard."""
        ends, found = await self.positions(), []
        for part in self._parts.values():
            for name, shard, position in await part.fetch(ALL_CURSORS):
                is_here = part is (self._at(shard) if name == LIVE else self._home) and name != MOVING
                if is_here and position > ends.get(shard, position):
                    found.append((name, shard))
        return found

    async def cursors(self, shard: int) -> dict[str, int]:
        """Return how far each projection has come in a shard."""
        return {row["name"]: row["position"] for row in await self._home.fetch(CURSORS, shard)}

    async def rows(self, names: Sequence[str], key: str) -> list[tuple[str, ProjectionRow]]:
        """Return the rows that these projections have under a key, each with the name of its projection."""
        found = await self._home.fetch(ROWS, list(names), key)
        return [(name, ProjectionRow(*row)) for name, *row in found]

    async def row_count(self, names: Sequence[str]) -> int:
        """Return how many rows these projections have."""
        return int(await self._home.fetchval(ROW_COUNT, list(names)))

    async def card(self, stream: str) -> Card | None:
        """Return what is known of a stream beside its lines; None if it has no card."""
        row = await self._home.fetchrow(CARD, stream)
        return None if row is None else card_of(row)

    async def anchors(self, stream: str) -> list[tuple[int, str, bytes]]:
        """Return the entries of the transparency log about a stream: the line, the kind, the entry."""
        return [tuple(row) for row in await self._home.fetch(ANCHORS, stream)]

    async def entries(self, first: int, count: int) -> list[tuple[int, bytes]]:
        """Return entries of the transparency log with their indexes, the first of which should be this one."""
        return [tuple(row) for row in await self._home.fetch(ENTRIES, first, count)]

    async def hashes(self, wanted: Iterable[tuple[int, int]]) -> dict[tuple[int, int], bytes | None]:
        """Return the tree hashes that are stored for these places."""
        places = list(wanted)
        rows = await self._home.fetch(HASHES, [level for level, _ in places], [index for _, index in places])
        return {(row["level"], row["index"]): row["hash"] for row in rows}

    async def size(self) -> int:
        """Return how many entries the transparency log says that it has."""
        return int(await self._home.fetchval(SIZE))

    async def notes(self, after: int, size: int) -> dict[int, list[StoredNote]]:
        """Return the checkpoints over more than so many entries and at most so many, by how many."""
        rows = [StoredNote(*row) for row in await self._home.fetch(NOTES, after, size)]
        return {covered: list(of_size) for covered, of_size in groupby(rows, lambda one: one.size)}

    async def newest(self) -> tuple[str, int] | None:
        """Return the newest checkpoint, and the number of the policy that it met."""
        row = await self._home.fetchrow(NEWEST)
        return None if row is None else (row["note"], row["policy"])

    async def policies(self) -> list[str]:
        """Return every policy, in the order in which they came into force."""
        return [row["text"] for row in await self._home.fetch(POLICIES)]


async def _served_at(part: asyncpg.Connection) -> AsyncIterator[tuple[str, list[bytes]]]:
    name, lines = "", list[bytes]()
    async for row in part.cursor(SERVED, prefetch=PART):
        if row["stream"] != name and lines:
            yield name, lines
            lines = []
        name = row["stream"]
        lines.append(row["body"].encode())
    if lines:
        yield name, lines


@asynccontextmanager
async def snapshot_of(home: str, others: Mapping[str, str] | None = None) -> AsyncIterator[Snapshot]:
    """Give one state of a house, by a login that may read all of it; with other primaries, by one that owns it.

    Raises:
        BadBackup: A shard is being moved, or no one moment of several primaries is to be had.
        OSError: Nobody answers.
        asyncpg.PostgresError: The login may not read it, or there is no house in it.
    """
    if others:
        async with cut(home, others) as parts:
            yield Snapshot(parts[HOME], {name: parts[name] for name in others})
        return
    connection = await connect(home, SETTINGS)
    try:
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            yield Snapshot(connection)
    finally:
        await connection.close()
