"""A database of its own for each test, and the two stores that keep one contract."""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest
import pytest_asyncio

from infra.entropy import draw
from infra.events import EventStore
from infra.events.memory import MemoryStore
from infra.events.postgres import PostgresStore, opened
from infra.migrate import migrate


@pytest_asyncio.fixture
async def database(postgres_dsn: str) -> AsyncIterator[str]:
    name = f"t{draw(8).hex()}"
    admin = await asyncpg.connect(postgres_dsn)
    await admin.execute(f"create database {name}")
    parts = urlsplit(postgres_dsn)
    dsn = urlunsplit((parts.scheme, parts.netloc, f"/{name}", parts.query, ""))
    await migrate(dsn)
    yield dsn
    await admin.execute(f"drop database {name} with (force)")
    await admin.close()


@pytest_asyncio.fixture
async def postgres(database: str) -> AsyncIterator[PostgresStore]:
    store = await opened(database, "truecup_dealer")
    yield store
    await store.close()


@pytest.fixture(params=["memory", "postgres"])
def store(request: pytest.FixtureRequest) -> EventStore:
    return MemoryStore() if request.param == "memory" else request.getfixturevalue("postgres")
