"""The two stores that keep one contract."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from infra.store import EventStore
from infra.store.memory import MemoryStore
from infra.store.postgres import PostgresStore, open_store


@pytest_asyncio.fixture
async def postgres(database: str) -> AsyncIterator[PostgresStore]:
    store = await open_store(database, "truecup_dealer")
    yield store
    await store.close()


@pytest.fixture(params=["memory", "postgres"])
def store(request: pytest.FixtureRequest) -> EventStore:
    return MemoryStore() if request.param == "memory" else request.getfixturevalue("postgres")


@pytest_asyncio.fixture
async def other(database: str) -> AsyncIterator[PostgresStore]:
    """Another program on the same database."""
    store = await open_store(database, "truecup_dealer")
    yield store
    await store.close()
