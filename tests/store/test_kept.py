"""Connections that wait beside the pool: they are lent again, and none is lost to it."""

from __future__ import annotations

import asyncio

import asyncpg

from infra.store import Unavailable
from infra.store.postgres import POOL_MAX, PostgresStore, open_store
from tests.store.lines import append, chain, stream

OURS = " from pg_stat_activity where application_name = 'truecup' and datname = current_database()"
BOUND_S = 60


async def read(store: PostgresStore) -> list[bytes]:
    """Return the lines of a stream, asked for until somebody answers."""
    while True:
        try:
            return await store.read(stream())
        except Unavailable:
            continue


async def test_connections_that_are_cut_while_they_wait_are_replaced(database: str, postgres: PostgresStore) -> None:
    """Were one lost to the pool each time, there would be none left in the end."""
    lines = chain(stream(), 1)
    await postgres.append(append(stream(), lines))
    admin = await asyncpg.connect(database)
    async with asyncio.timeout(BOUND_S):
        for _ in range(POOL_MAX + 2):
            await admin.execute(f"select pg_terminate_backend(pid){OURS}")
            assert await asyncio.gather(*(read(postgres) for _ in range(2 * POOL_MAX))) == [lines] * 2 * POOL_MAX
    assert await admin.fetchval(f"select count(*){OURS}") <= POOL_MAX
    await admin.close()


async def test_a_store_that_is_closed_leaves_no_connection(database: str) -> None:
    store = await open_store(database, "truecup_dealer")
    await asyncio.gather(*(store.check() for _ in range(POOL_MAX)))
    under_way = asyncio.create_task(store.check())
    await asyncio.sleep(0)
    await store.close()
    await under_way
    admin = await asyncpg.connect(database)
    async with asyncio.timeout(BOUND_S):
        while await admin.fetchval(f"select count(*){OURS}"):
            await asyncio.sleep(0.01)
    await admin.close()
