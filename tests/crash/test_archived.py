"""A match that has moved to the archive is what it was, to everybody who asks, whatever was killed meanwhile."""

from __future__ import annotations

import asyncio
from time import monotonic

import asyncpg

from infra.store import SHARDS
from infra.store.postgres import open_store
from tests.crash.conftest import Lasting
from tests.crash.house import LOOK_S, START_S, Service, Table
from tests.crash.test_killed import assert_kept

RULES = {"seats": 3, "options": {"dice_per_player": 1}}
KILLS = 3


def said(service: Service, table: Table) -> list[bytes]:
    """Return what anybody is told of a match that is over."""
    with service.client() as client:
        return [
            client.get(f"{table.path}{rest}").raise_for_status().content
            for rest in ("", "/replay", "/replay?after=5&limit=7", "/record")
        ]


async def counted(database_url: str, table: str) -> int:
    connection = await asyncpg.connect(database_url)
    try:
        return int(await connection.fetchval(f"select count(*) from {table}"))
    finally:
        await connection.close()


async def until_archived(database_url: str) -> None:
    deadline = monotonic() + START_S
    while await counted(database_url, "event"):
        assert monotonic() < deadline, "what has ended is not moved"
        await asyncio.sleep(LOOK_S)


async def test_a_match_moves_to_the_archive_and_nobody_sees_it(lasting: Lasting, service: Service) -> None:
    table = await asyncio.to_thread(Table, service, RULES)
    await asyncio.to_thread(table.finish)
    await asyncio.to_thread(table.audited)  # which waits until its end is in the log
    before = await asyncio.to_thread(said, service, table)
    store = await open_store(lasting.database_url, "truecup_api")
    followed = [await store.follow(shard, 0, 10_000) for shard in range(SHARDS)]
    assert await counted(lasting.database_url, "archive") == 0, "it ended less than an hour ago"
    service.settings["archive_after_s"] = "0"
    service.kill()
    for _ in range(KILLS):
        await asyncio.to_thread(service.start)
        service.kill()
    await asyncio.to_thread(service.start)
    await until_archived(lasting.database_url)
    assert await counted(lasting.database_url, "archive") == 1
    assert await asyncio.to_thread(said, service, table) == before
    await asyncio.to_thread(assert_kept, table)
    assert [await store.follow(shard, 0, 10_000) for shard in range(SHARDS)] == followed
    await store.close()
