"""Floors of the same machine: a bare insert that is committed, a bare hop through NATS."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

import asyncpg
import nats
from msgspec import Struct
from nats.aio.msg import Msg

from infra.config import servers_of
from services.cli.bench.sheets.figures import Figure, figure
from services.client.house import CannotDo

MAKE = "create table if not exists truecup_bench_floor (position bigint not null, body text not null)"
INSERT = "insert into truecup_bench_floor (position, body) select * from unnest($1::bigint[], $2::text[])"
CLEAR = "drop table if exists truecup_bench_floor"
BYTES = "select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint, pg_database_size(current_database())"
BODY = "x" * 320
"""As long as the line of a bid."""
SUBJECT: Final = "truecup.bench.hop"
LOST_S: Final = 1.0
LOST_MAX: Final = 8


class Bytes(Struct, frozen=True):
    """Bytes of the database: how much it has written ahead of itself (WAL) since it began, and how much it takes."""

    wal: int
    stored: int


async def bytes_of(connection: asyncpg.Connection) -> Bytes:
    """Return the bytes of this connection's database; others on the same server write to the same WAL."""
    return Bytes(*await connection.fetchrow(BYTES))


@asynccontextmanager
async def _bare_table(dsn: str) -> AsyncIterator[asyncpg.Connection]:
    """Give a connection to a database with the table. A crash leaves the table behind."""
    connection = await asyncpg.connect(dsn)
    await connection.execute(MAKE)
    try:
        yield connection
    finally:
        await connection.execute(CLEAR)
        await connection.close()


async def bare_insert(dsn: str, rows: int, seconds: float) -> Figure:
    """Measure commits of so many rows each, as often as they fit into the time."""
    clock = asyncio.get_running_loop().time
    async with _bare_table(dsn) as connection:
        insert = await connection.prepare(INSERT)
        positions, bodies = list(range(rows)), [BODY] * rows
        begun, took = clock(), list[float]()
        while (before := clock()) < begun + seconds or not took:
            await insert.fetch(positions, bodies)
            took.append(clock() - before)
        return figure(took, clock() - begun, each=rows)


async def bare_bytes(dsn: str, rows: int, commits: int) -> tuple[float, float]:
    """Return the bytes of WAL and the bytes stored for each row, in so many commits of so many rows."""
    async with _bare_table(dsn) as connection:
        before = await bytes_of(connection)
        for _ in range(commits):
            await connection.execute(INSERT, list(range(rows)), [BODY] * rows)
        after = await bytes_of(connection)
    count = rows * commits
    return (after.wal - before.wal) / count, (after.stored - before.stored) / count


async def bare_hop(url: str, hops: int) -> Figure:
    """Measure messages from one connection to another, one after the other.

    NATS promises nobody a message, least of all while it finds a lost connection again: one that does not come is
    not counted.

    Raises:
        CannotDo: Too many do not come.
    """
    clock = asyncio.get_running_loop().time
    sender, listener = await nats.connect(servers_of(url)), await nats.connect(servers_of(url))
    came: dict[bytes, asyncio.Future[float]] = {}

    async def heard(message: Msg) -> None:
        if not came[message.data].done():
            came[message.data].set_result(clock())

    await listener.subscribe(SUBJECT, cb=heard)
    await listener.flush()
    begun, took = clock(), []
    for number in range(hops + LOST_MAX):
        body = f"{number:320d}".encode()
        came[body] = asyncio.get_running_loop().create_future()
        before = clock()
        await sender.publish(SUBJECT, body)
        with suppress(TimeoutError):
            async with asyncio.timeout(LOST_S):
                took.append(await came[body] - before)
        if len(took) == hops:
            break
    await asyncio.gather(sender.close(), listener.close())
    if len(took) < hops:
        raise CannotDo(f"NATS lost {LOST_MAX} of {hops} messages")
    return figure(took, clock() - begun)
