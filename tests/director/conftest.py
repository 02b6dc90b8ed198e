"""A house that holds tournaments, and a clock that a test sets forward."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from time import monotonic_ns, time_ns

import pytest
import pytest_asyncio

from infra import clock
from infra.clock import MS, Clock
from infra.store.memory import MemoryStore
from infra.store.postgres import PostgresStore, open_store
from tests.director.house import EventHouse


@pytest.fixture
def house() -> EventHouse:
    return EventHouse(MemoryStore())


@pytest_asyncio.fixture
async def postgres(database: str) -> AsyncIterator[PostgresStore]:
    store = await open_store(database, "truecup_dealer")
    yield store
    await store.close()


@pytest.fixture
def wait(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Return what lets so many milliseconds go by at once."""
    waited = [0]
    monkeypatch.setattr(
        clock, "HOUSE", Clock(lambda: time_ns() + waited[0] * MS, lambda: monotonic_ns() + waited[0] * MS)
    )

    def go_by(ms: int) -> None:
        waited[0] += ms

    return go_by
