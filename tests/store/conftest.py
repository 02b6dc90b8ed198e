"""The stores that keep one contract: the double, one on a database, one on two, one on the oldest Postgres."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from infra.store import EventStore
from infra.store.memory import MemoryStore
from infra.store.postgres import PostgresStore, open_store
from infra.store.primaries.naming import join_primaries
from infra.store.primaries.opening import open_house
from tests.hosting import OLDEST, TEMPLATE, a_database
from tests.sizes import spread

HERE = Path(__file__).parent
SECOND = "second"
GIVE = (
    "update shard set closed_at = position where shard % 2 = 1;"
    f" update shard_place set lives_at = '{SECOND}', epoch = 2 where shard % 2 = 1"
)
TAKE = "update shard set closed_at = null, epoch = 2 where shard % 2 = 1"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Hold the double and a database to every promise; two primaries and the oldest Postgres to a sample of them."""
    ours = [item for item in items if item.path.is_relative_to(HERE)]
    oldest, two = ([item for item in ours if f"[{store}" in item.name] for store in ("postgres15", "two"))
    left = {*oldest, *two} - {*spread(oldest, 6), *spread(two, 6, lambda item: item.path)}
    config.hook.pytest_deselected(items=list(left))
    items[:] = [item for item in items if item not in left]


@pytest_asyncio.fixture
async def postgres(database: str) -> AsyncIterator[PostgresStore]:
    store = await open_store(database, "truecup_dealer")
    yield store
    await store.close()


@pytest_asyncio.fixture
async def second(database: str, postgres_dsn: str) -> AsyncIterator[str]:
    """Another primary beside the database, which has every other shard: where it is, as the settings say it."""
    async with a_database(postgres_dsn, TEMPLATE) as address:
        await join_primaries(database, {SECOND: address})
        for where, change in ((database, GIVE), (address, TAKE)):
            connection = await asyncpg.connect(where)
            await connection.execute(change)
            await connection.close()
        yield f"{SECOND} {address}"


@pytest_asyncio.fixture
async def two(database: str, second: str) -> AsyncIterator[PostgresStore]:
    store = await open_house(database, second, "truecup_dealer")
    yield store
    await store.close()


@pytest_asyncio.fixture
async def postgres15(shared: Callable[[str], Any]) -> AsyncIterator[PostgresStore]:
    if not OLDEST.exists():
        pytest.skip(f"Debian's Postgres 15 is not in {OLDEST}: the package postgresql-15 has it")
    async with a_database(shared("oldest")["postgres"], TEMPLATE) as dsn:
        store = await open_store(dsn, "truecup_dealer")
        yield store
        await store.close()


@pytest.fixture(params=["memory", "postgres", "two", "postgres15"])
def store(request: pytest.FixtureRequest) -> EventStore:
    return MemoryStore() if request.param == "memory" else request.getfixturevalue(request.param)


@pytest_asyncio.fixture
async def other(database: str) -> AsyncIterator[PostgresStore]:
    """Another program on the same database."""
    store = await open_store(database, "truecup_dealer")
    yield store
    await store.close()
