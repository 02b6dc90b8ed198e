"""Servers of a service that is killed: a database and a bus that outlive it, or that die as well."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from msgspec import Struct

from infra.store.migrate import migrate
from services.local.nats import EmbeddedNats
from services.local.servers import LocalServers
from tests.crash.house import Service


class Lasting(Struct, frozen=True):
    """A database on the run's Postgres, and a NATS, neither of which anybody else uses."""

    database_url: str
    nats_url: str


@pytest_asyncio.fixture
async def lasting(database: str, tmp_path: Path) -> AsyncIterator[Lasting]:
    bus = EmbeddedNats(tmp_path / "nats")
    await bus.start()
    yield Lasting(database, bus.url)
    await bus.stop()


@pytest_asyncio.fixture
async def mortal(tmp_path: Path) -> AsyncIterator[LocalServers]:
    """Return servers of the test's own, which it may kill."""
    async with LocalServers(tmp_path / "servers") as running:
        await migrate(running.database_url)
        yield running


@pytest.fixture
def service(lasting: Lasting, tmp_path: Path) -> Iterator[Service]:
    yield from started(lasting, tmp_path)


@pytest.fixture
def service_of_mortals(mortal: LocalServers, tmp_path: Path) -> Iterator[Service]:
    yield from started(mortal, tmp_path)


def started(on: Lasting | LocalServers, folder: Path) -> Iterator[Service]:
    """Run a service on these servers, and leave nothing of it behind."""
    (folder / "service").mkdir()
    running = Service(on.database_url, on.nats_url, folder / "service")
    running.start()
    yield running
    running.stop()
