"""What the same machine does at best: a bare insert that is committed, a bare hop through NATS."""

from __future__ import annotations

import asyncio

import asyncpg
import nats
from nats.aio.msg import Msg

from services.cli.bench.figures import Figure, figure

MAKE = "create table if not exists truecup_bench_floor (position bigint not null, body text not null)"
INSERT = "insert into truecup_bench_floor (position, body) select * from unnest($1::bigint[], $2::text[])"
CLEAR = "drop table if exists truecup_bench_floor"
BODY = "x" * 320
"""As long as the line of a bid."""


async def bare_insert(dsn: str, rows: int, seconds: float) -> Figure:
    """Measure commits of so many rows each, as often as they fit into the time. A crash leaves the table behind."""
    clock = asyncio.get_running_loop().time
    connection = await asyncpg.connect(dsn)
    await connection.execute(MAKE)
    try:
        insert = await connection.prepare(INSERT)
        positions, bodies = list(range(rows)), [BODY] * rows
        begun, took = clock(), []
        while (before := clock()) < begun + seconds:
            await insert.fetch(positions, bodies)
            took.append(clock() - before)
        return figure(took, clock() - begun, each=rows)
    finally:
        await connection.execute(CLEAR)
        await connection.close()


async def bare_hop(url: str, hops: int) -> Figure:
    """Measure messages from one connection to another, one after the other."""
    clock = asyncio.get_running_loop().time
    sender, listener = await nats.connect(url), await nats.connect(url)
    came: asyncio.Queue[float] = asyncio.Queue()

    async def heard(_message: Msg) -> None:
        came.put_nowait(clock())

    await listener.subscribe("truecup.bench.hop", cb=heard)
    await listener.flush()
    begun, took = clock(), []
    for _ in range(hops):
        before = clock()
        await sender.publish("truecup.bench.hop", BODY.encode())
        took.append(await came.get() - before)
    await asyncio.gather(sender.close(), listener.close())
    return figure(took, clock() - begun)
