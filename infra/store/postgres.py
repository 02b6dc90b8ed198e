"""The event store on Postgres 15 or newer: plain statements, and functions of the database for what one append stores.

A database that hangs answers nothing, a request to cancel as little as a query. So nobody waits for it: a query that
takes too long, or whose caller goes away, loses its connection, and what it did or did not do is asked anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Literal

import asyncpg
import structlog

from infra.measures.writes import WriteTally
from infra.store import (
    BEAT_AHEAD_MAX_MS,
    GAPS_MAX,
    MISSED_MS,
    SHARDS,
    SHORT_MS,
    TOP,
    Access,
    Append,
    ArchiveStep,
    CommitHeard,
    Outcome,
    ProjectionRow,
    Recorded,
    RowPlace,
    Unavailable,
    WordsLeft,
    batches,
    erasable,
    shard_of,
    turns,
)
from infra.store.comments import comment_tables
from infra.store.hooks import tables
from infra.store.joining import Joining
from infra.store.lending import CLOSE_S, Lending, Question
from infra.store.logins import unusable
from infra.store.sets.commit import Sets
from infra.store.transparency import log_tables
from infra.store.turns import StoreTurns
from infra.store.writer import LOST, TROUBLE, ShardWriter

Role = Literal["truecup_api", "truecup_relay", "truecup_dealer"]
"""Whose rights a connection has, the least first; each may what the one before it may (`.docs/roles.md`)."""
ConnectionCheck = Callable[[Any], Awaitable[None]]
"""Looks at a connection that was just made, and raises what is wrong with it."""
POOL_MAX = 12
CONNECT_S = 10.0
"""How long a connection may take to be made; a Postgres at rest takes some milliseconds."""
WAIT_S = 5.0
"""How long a read, or a small write, may take with all it waits for."""
SEND_S = 20.0
"""How long a batch may take to commit before its connection is given up: far more than a slow disk needs. Its callers
have been told to repeat by then."""
FORGET_S = 30.0
"""When the library gives up on whatever it still waits for by itself, such as an answer to a request to cancel."""
DRAIN_S = 5.0
"""How long what is in flight may take to finish when the program ends: as long as requests get
(`services.http.front.server`)."""

APPEND_ACCESS = "select append_access($1, $2, $3, $4)"
READ_ACCESS = "select body from access_line where stream = $1 and seq >= $2 order by seq"
# Lines are in one of two tables. Each half comes in order, so that they are merged and not sorted.
READ = (
    "select body from ("
    "(select seq, body from event where shard = $1 and stream = $2 and seq >= $3 order by seq limit $4)"
    " union all "
    "(select l.number - 1, l.body"
    " from archive a, unnest(string_to_array(a.lines, E'\\n')) with ordinality as l (body, number)"
    " where a.shard = $1 and a.stream = $2 and l.number > $3 order by l.number limit $4)"
    ") found order by seq limit $4"
)
ANSWER = "select fingerprint, answer from command where shard = $1 and stream = $2 and command = $3"
# Positions are dense: the next so many lines are those with the next so many positions.
FOLLOW = (
    "select position, stream, seq, body from ("
    "(select position, stream, seq, body"
    " from event where shard = $1 and position > $2 and position <= $2 + $3 order by position)"
    " union all "
    "(select l.position, a.stream, l.number - 1, l.body from archive a,"
    " unnest(a.positions, string_to_array(a.lines, E'\\n')) with ordinality as l (position, body, number)"
    " where a.shard = $1 and int8range(a.first, a.last, '[]') && int8range($2, $2 + $3, '(]')"
    " and l.position > $2 and l.position <= $2 + $3 order by l.position)"
    ") found order by position"
)
# A shard that is closed here lives at another primary.
POSITIONS = "select shard, position from shard where closed_at is null"
SECRETS = "select name, wrapped from vault.secret where stream = $1"
LIVE = (
    "select s.stream from stream s where not s.ended and exists (select from vault.secret v where v.stream = s.stream)"
    " and exists (select from shard h where h.shard = s.shard and h.closed_at is null) order by s.stream"
)
OPEN = (
    "select s.stream from stream s where not s.ended and s.stream like $1"
    " and exists (select from shard h where h.shard = s.shard and h.closed_at is null) order by s.stream"
)
ARCHIVE = "select looked, moved from archive_next($1, $2, $3)"
CURSOR = "select position from projection_cursor where name = $1 and shard = $2"
SAVE_ROWS = (
    "insert into projection (name, key, version, doc, shelf, at)"
    " select $1, * from unnest($2::text[], $3::bigint[], $4::bytea[], $5::text[], $6::bigint[])"
    " on conflict (name, key) do update"
    " set version = excluded.version, doc = excluded.doc, shelf = excluded.shelf, at = excluded.at"
    " where projection.version < excluded.version"
    " or projection.version = excluded.version and projection.doc <> excluded.doc"
)
SAVE_CURSOR = (
    "insert into projection_cursor (name, shard, position) values ($1, $2, $3) on conflict (name, shard)"
    " do update set position = greatest(projection_cursor.position, excluded.position)"
)
PROJECTION = (
    "select key, version, doc, shelf, at from projection where name = $1 and shelf = $2 and (at, key) < ($3, $4)"
    " order by at desc, key desc limit $5"
)
LAZILY = "set local synchronous_commit = off"  # what can be made again from the log need not wait for the disk
LEAVE_WORD = "select at, gaps from leave_word($1, $2, $3, $4, $5, $6)"
LAST_WORDS = "select at, gaps from heartbeat"
CHECK = "select 1"

SESSION = {"plan_cache_mode": "force_generic_plan", "enable_seqscan": "off", "jit": "off"}
"""How the database goes about our statements. All of them find rows by a key, so one plan does for all values; left to
itself it plans most of them anew at every call, which takes longer than to execute them, and longer in a large house.
A plan that is kept was perhaps made while a table was empty, so none may read a whole table where there is an index;
and what looks dear to the planner, for some values nobody asks for, is not worth a compiler."""

log = structlog.get_logger(__name__)

STATEMENTS = (
    *(text for name, text in list(globals().items()) if name.isupper() and isinstance(text, str)),
    *batches.STATEMENTS,
    *turns.STATEMENTS,
    *log_tables.STATEMENTS,
    *erasable.STATEMENTS,
    *tables.STATEMENTS,
    *comment_tables.STATEMENTS,
)
"""Every statement, for the test that prepares them against the migrated schema."""


class PostgresStore(
    log_tables.TransparencyTables, erasable.ErasableTables, tables.WebhookTables, comment_tables.CommentTables
):
    """The log on Postgres. Open it with `open_store`."""

    def __init__(
        self, pool: asyncpg.Pool[Any], writes: WriteTally | None = None, question: Question | None = None
    ) -> None:
        """Use this pool; its connections have one of the roles. What is written is counted with that of others.

        With a question, which asks the database for an answer, nobody waits for one that hangs but who finds that out.
        """
        self.on_commit: CommitHeard | None = None
        self.writes, self.lending = writes or WriteTally(), Lending(pool, question)
        self._connection = self.lending.lend
        self._turns = StoreTurns(self._connection)
        self._joining = Joining(self._send_alone, self._send_together)
        self._writers = [ShardWriter(shard, self._send, self._send_chain, self.writes) for shard in range(SHARDS)]
        self._sets = ShardWriter(SHARDS, Sets(self._connection, self.tell).send, None, self.writes)
        self._writers.append(self._sets)

    async def append(self, append: Append) -> Outcome:
        """Store a command, or say why not. Shielded: a caller that gives up does not cancel a commit."""
        return await self._writers[shard_of(append.stream)].append(append)

    async def append_chain(self, chain: Sequence[Append]) -> list[Outcome]:
        """Store commands of one stream, all of them or none. Shielded as well."""
        return await self._writers[shard_of(chain[0].stream)].append_chain(chain)

    async def append_all(self, appends: Sequence[Append]) -> list[Outcome]:
        """Store commands of as many streams, all of them or none. Shielded as well."""
        return await (self._sets.append_all(appends) if len(appends) > 1 else self.append_chain(appends))

    def turn(self, stream: str) -> AbstractAsyncContextManager[None]:
        """Return the turn of a stream among all programs on this database."""
        return self._turns.of(stream)

    async def _send(self, shard: int, batch: list[Append]) -> list[Outcome]:
        return self.tell(shard, batch, await self._joining.send(shard, batch))

    async def _send_chain(self, shard: int, chain: list[Append]) -> list[Outcome]:
        async with self._connection(SEND_S) as connection:
            outcomes = await batches.store_chain(connection, shard, chain)
        return self.tell(shard, chain, outcomes)

    def tell(self, shard: int, batch: list[Append], outcomes: list[Outcome]) -> list[Outcome]:
        """Return what came of a batch, and tell of the lines it has added."""
        if self.on_commit is not None:
            recorded = batches.recorded(batch, outcomes)
            if recorded:
                self.on_commit(shard, recorded)
        return outcomes

    async def _send_alone(self, shard: int, batch: list[Append]) -> list[Outcome]:
        async with self._connection(SEND_S) as connection:
            return await batches.store(connection, shard, batch)

    async def _send_together(self, parts: Sequence[batches.Part]) -> dict[int, list[Outcome]] | None:
        async with self._connection(SEND_S) as connection:
            return await batches.store_plain(connection, parts)

    async def _fetch(self, query: str, *args: object) -> list[asyncpg.Record]:
        try:
            async with self._connection(WAIT_S) as connection:
                rows: list[asyncpg.Record] = await connection.fetch(query, *args)
        except TROUBLE as trouble:
            self.writes.troubles["unanswered"] += 1
            raise Unavailable("the database does not answer") from trouble
        return rows

    async def ask(self, query: str, *args: object) -> list[asyncpg.Record]:
        """Return the rows of a query of those who join several of these stores.

        Raises:
            Unavailable: The database does not answer.
        """
        return await self._fetch(query, *args)

    async def _execute(self, query: str, *args: object) -> None:
        await self._fetch(query, *args)

    async def read(self, stream: str, after: int = 0, limit: int = 100_000) -> list[bytes]:
        """Return the lines of a stream from a version on."""
        return [row["body"].encode() for row in await self._fetch(READ, shard_of(stream), stream, after, limit)]

    async def read_access(self, stream: str, after: int = 0) -> list[bytes]:
        """Return the lines of an access stream from a version on."""
        return [row["body"].encode() for row in await self._fetch(READ_ACCESS, stream, after)]

    async def append_access(self, stream: str, access: Access) -> bool:
        """Store lines of an access stream. A lost connection leaves it unknown whether they are; the version tells."""
        lines = [line.decode() for line in access.lines]
        rows = await self._fetch(APPEND_ACCESS, shard_of(stream), access.stream, access.expected, lines)
        return bool(rows[0][0])

    async def answer(self, stream: str, command: bytes) -> tuple[bytes, bytes] | None:
        """Return the fingerprint and answer stored for a command."""
        rows = await self._fetch(ANSWER, shard_of(stream), stream, command)
        return (rows[0]["fingerprint"], rows[0]["answer"]) if rows else None

    async def follow(self, shard: int, after: int, limit: int) -> list[Recorded]:
        """Return the lines of a shard after a position."""
        rows = await self._fetch(FOLLOW, shard, after, limit)
        return [Recorded(row["position"], row["stream"], row["seq"], row["body"].encode()) for row in rows]

    async def positions(self) -> dict[int, int]:
        """Return the last position of each shard."""
        return {row["shard"]: row["position"] for row in await self._fetch(POSITIONS)}

    async def archive_next(self, shard: int, after: str, before: int) -> ArchiveStep:
        """Move one finished match to the archive, in one transaction."""
        return ArchiveStep(*(await self._fetch(ARCHIVE, shard, after, before))[0])

    async def secrets(self, stream: str) -> dict[str, bytes]:
        """Return the wrapped secrets of a stream by name; needs the role of a dealer or of a relay."""
        return {row["name"]: row["wrapped"] for row in await self._fetch(SECRETS, stream)}

    async def streams_live(self) -> list[str]:
        """Return the streams that have dealt and not ended; needs the dealer's role."""
        return [row["stream"] for row in await self._fetch(LIVE)]

    async def streams_open(self, kind: str) -> list[str]:
        """Return the streams of a kind that have begun and not ended; needs the dealer's role."""
        return [row["stream"] for row in await self._fetch(OPEN, f"{kind}/%")]

    async def cursor(self, name: str, shard: int) -> int:
        """Return how far a projection has come."""
        rows = await self._fetch(CURSOR, name, shard)
        return rows[0]["position"] if rows else 0

    async def save_projection(self, name: str, shard: int, position: int, rows: Sequence[ProjectionRow]) -> None:
        """Store newer rows and the cursor, in one transaction: a crash leaves neither."""
        async with self._transaction() as connection:
            await connection.execute(LAZILY)
            columns = zip(*((row.key, row.version, row.doc, row.shelf, row.at) for row in rows), strict=True)
            if rows:
                await connection.execute(SAVE_ROWS, name, *map(list, columns))
            await connection.execute(SAVE_CURSOR, name, shard, position)

    async def projection(self, name: str, shelf: str, limit: int, before: RowPlace = TOP) -> list[ProjectionRow]:
        """Return at most `limit` rows of a shelf that stand before this place, the latest first."""
        return [ProjectionRow(*row) for row in await self._fetch(PROJECTION, name, shelf, *before, limit)]

    async def heartbeat(self, at: int, since: int = 0) -> WordsLeft:
        """Leave word, keep the time before it as a gap where it is long, and return what counts after that."""
        return _words_of(*await self._fetch(LEAVE_WORD, at, since, BEAT_AHEAD_MAX_MS, MISSED_MS, SHORT_MS, GAPS_MAX))

    async def last_words(self) -> WordsLeft | None:
        """Return who was there when."""
        rows = await self._fetch(LAST_WORDS)
        return _words_of(rows[0]) if rows else None

    async def check(self) -> None:
        """Ask the database for an answer."""
        await self._execute(CHECK)

    async def check_writes(self) -> str | None:
        """Return why commands would wait or be refused just now; None if nothing says so."""
        return next((writer.trouble for writer in self._writers if writer.trouble is not None), None)

    async def refusal(self) -> str | None:
        """Return why a shard's last write was refused; None if every shard took its last one."""
        found = next((writer.refusal for writer in self._writers if writer.refusal is not None), None)
        return None if found is None else f"the last write of a shard was refused: {found}"

    @property
    def lendings(self) -> Sequence[Lending]:
        """The connections, of each database."""
        return [self.lending]

    @property
    def pending(self) -> int:
        """How many commands wait for their commit."""
        return sum(writer.pending for writer in self._writers)

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[Any]:
        try:
            async with self._connection(WAIT_S) as connection, connection.transaction():
                yield connection
        except TROUBLE as trouble:
            self.writes.troubles["unanswered"] += 1
            raise Unavailable("the database does not answer") from trouble

    async def close(self) -> None:
        """Finish what is in flight, within a time, and let go of the database.

        What is not finished by then is in doubt: it is stored, or it is not, and its command id says which.
        """
        draining = [asyncio.ensure_future(writer.drain()) for writer in self._writers]
        _, hanging = await asyncio.wait(draining, timeout=DRAIN_S)
        if hanging:
            log.warning("store.leaves_in_doubt", commands=self.pending)
            for writer in self._writers:
                writer.close()
            self.lending.end()
            await asyncio.wait(draining, timeout=CLOSE_S)
        await self.lending.close()


async def _no_reset(_connection: object) -> None:
    """Leave a connection as it is: nothing here changes its session, and a reset would cost a round trip a query."""


async def open_store(dsn: str, role: Role, name: str = "truecup") -> PostgresStore:
    """Return a store on this database, acting in this role; its connections are called so.

    Raises:
        Unavailable: Nobody answers there.
    """
    return PostgresStore(await open_pool(dsn, role, name))


async def open_pool(
    dsn: str, role: Role, name: str = "truecup", check: ConnectionCheck | None = None
) -> asyncpg.Pool[Any]:
    """Return connections to this database, acting in this role, which are called so.

    With a `check`, each connection is held to it before it is used, and none is made before one is needed: the
    database need not answer yet.

    Raises:
        Unavailable: Nobody answers there.
    """
    try:
        pool = await asyncpg.create_pool(
            dsn,
            min_size=0 if check else 2,
            max_size=POOL_MAX,
            timeout=CONNECT_S,
            command_timeout=FORGET_S,
            reset=_no_reset,
            init=check,
            server_settings={"role": role, "application_name": name, **SESSION},
        )
    except (ValueError, OverflowError, asyncpg.InterfaceError) as trouble:
        raise unusable(trouble) from None
    except LOST as trouble:
        raise Unavailable(f"the database does not answer: {trouble}") from trouble
    assert pool is not None
    return pool


def _words_of(row: asyncpg.Record) -> WordsLeft:
    return WordsLeft(row["at"], tuple(zip(row["gaps"][::2], row["gaps"][1::2], strict=True)))
