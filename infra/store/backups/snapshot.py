"""A state of a database, read once more to be checked: streams, lines, answers, entries, hashes, checkpoints.

Nothing that is read here is believed. A stream is held as a whole, and of the transparency log a part.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from itertools import groupby
from typing import Final

import asyncpg
from msgspec import Struct

from infra.store import Card, ProjectionRow
from infra.store.erasable import CARD, card_of
from infra.store.logins import connect
from infra.store.transparency.log_tables import HASHES, POLICIES, SIZE

HERE: Final = "select shard, position from shard where closed_at is null order by shard"
LINES_OF_ALL: Final = (
    "select (select count(*) from event) + (select coalesce(sum(cardinality(positions)), 0)::bigint from archive)"
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
AHEAD: Final = (
    "select c.name, c.shard from projection_cursor c join shard s using (shard) where c.position > s.position"
    " order by c.name, c.shard"
)
CURSORS: Final = "select name, position from projection_cursor where shard = $1"
ROWS: Final = "select name, key, version, doc, shelf, at from projection where name = any($1) and key = $2"
ROW_COUNT: Final = "select count(*) from projection where name = any($1)"
SERVED: Final = "select stream, body from access_line order by stream, seq"
ANCHORS: Final = "select seq, kind, entry from log_entry where stream = $1 order by index"
ENTRIES: Final = "select index, entry from log_entry where index >= $1 order by index limit $2"
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
    """One state of a database. Open it with `snapshot_of`."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        """Read over this connection, which is in a transaction."""
        self._connection = connection

    async def positions(self) -> dict[int, int]:
        """Return the last position of each shard that is open here."""
        return {row["shard"]: row["position"] for row in await self._connection.fetch(HERE)}

    async def line_count(self) -> int:
        """Return how many lines there are, whatever they belong to."""
        return int(await self._connection.fetchval(LINES_OF_ALL))

    async def streams(self, shard: int) -> AsyncIterator[StoredStream]:
        """Yield the streams of a shard. Cost: two queries for each."""
        async for row in self._connection.cursor(STREAMS, shard, prefetch=PART):
            lines = await self._connection.fetch(LINES, shard, row["stream"])
            archived = await self._connection.fetchrow(ARCHIVED, shard, row["stream"])
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
        name, lines = "", list[bytes]()
        async for row in self._connection.cursor(SERVED, prefetch=PART):
            if row["stream"] != name and lines:
                yield name, lines
                lines = []
            name = row["stream"]
            lines.append(row["body"].encode())
        if lines:
            yield name, lines

    async def answers(self, shard: int, stream: str) -> list[bytes]:
        """Return what the commands of a stream were answered."""
        return [row["answer"] for row in await self._connection.fetch(ANSWERS, shard, stream)]

    async def coming(self, stream: str) -> list[tuple[int, str]]:
        """Return the lines of a stream that wait for their entry in the transparency log, each with its hash."""
        return [tuple(row) for row in await self._connection.fetch(COMING, stream)]

    async def strays(self) -> dict[str, int]:
        """Return how much there is that is of a stream which is not there, by what it is."""
        found = {}
        for what, table in STRAYS.items():
            rest = f"from {table} t where not exists (select from stream s where s.stream = t.stream)"
            # Who saw what has lines that wait for the log as well, and stands in no list of streams.
            seen = " and not exists (select from access_line a where a.stream = t.stream)"
            found[what] = int(await self._connection.fetchval(f"select count(*) {rest}{seen}"))
        return found

    async def projections_ahead(self) -> list[tuple[str, int]]:
        """Return the projections that have seen more of a shard than there is, with that shard."""
        return [tuple(row) for row in await self._connection.fetch(AHEAD)]

    async def cursors(self, shard: int) -> dict[str, int]:
        """Return how far each projection has come in a shard."""
        return {row["name"]: row["position"] for row in await self._connection.fetch(CURSORS, shard)}

    async def rows(self, names: Sequence[str], key: str) -> list[tuple[str, ProjectionRow]]:
        """Return the rows that these projections have under a key, each with the name of its projection."""
        found = await self._connection.fetch(ROWS, list(names), key)
        return [(name, ProjectionRow(*row)) for name, *row in found]

    async def row_count(self, names: Sequence[str]) -> int:
        """Return how many rows these projections have."""
        return int(await self._connection.fetchval(ROW_COUNT, list(names)))

    async def card(self, stream: str) -> Card | None:
        """Return what is known of a stream beside its lines; None if it has no card."""
        row = await self._connection.fetchrow(CARD, stream)
        return None if row is None else card_of(row)

    async def anchors(self, stream: str) -> list[tuple[int, str, bytes]]:
        """Return the entries of the transparency log about a stream: the line, the kind, the entry."""
        return [tuple(row) for row in await self._connection.fetch(ANCHORS, stream)]

    async def entries(self, first: int, count: int) -> list[tuple[int, bytes]]:
        """Return entries of the transparency log with their indexes, the first of which should be this one."""
        return [tuple(row) for row in await self._connection.fetch(ENTRIES, first, count)]

    async def hashes(self, wanted: Iterable[tuple[int, int]]) -> dict[tuple[int, int], bytes | None]:
        """Return the tree hashes that are stored for these places."""
        places = list(wanted)
        rows = await self._connection.fetch(HASHES, [level for level, _ in places], [index for _, index in places])
        return {(row["level"], row["index"]): row["hash"] for row in rows}

    async def size(self) -> int:
        """Return how many entries the transparency log says that it has."""
        return int(await self._connection.fetchval(SIZE))

    async def notes(self, after: int, size: int) -> dict[int, list[StoredNote]]:
        """Return the checkpoints over more than so many entries and at most so many, by how many."""
        rows = [StoredNote(*row) for row in await self._connection.fetch(NOTES, after, size)]
        return {covered: list(of_size) for covered, of_size in groupby(rows, lambda one: one.size)}

    async def newest(self) -> tuple[str, int] | None:
        """Return the newest checkpoint, and the number of the policy that it met."""
        row = await self._connection.fetchrow(NEWEST)
        return None if row is None else (row["note"], row["policy"])

    async def policies(self) -> list[str]:
        """Return every policy, in the order in which they came into force."""
        return [row["text"] for row in await self._connection.fetch(POLICIES)]


@asynccontextmanager
async def snapshot_of(dsn: str) -> AsyncIterator[Snapshot]:
    """Give one state of a database, by a login that may read all of it.

    Raises:
        OSError: Nobody answers.
        asyncpg.PostgresError: The login may not read it, or there is no house in it.
    """
    settings = {"application_name": "truecup", "plan_cache_mode": "force_generic_plan"}
    connection = await connect(dsn, settings)
    try:
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            yield Snapshot(connection)
    finally:
        await connection.close()
