"""Servers that may be killed: of their own for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from infra.migrate import migrate
from services.local.servers import LocalServers
from tests.crash.house import Service


@pytest_asyncio.fixture
async def mortal(tmp_path: Path) -> AsyncIterator[LocalServers]:
    async with LocalServers(tmp_path / "servers") as running:
        await migrate(running.database_url)
        yield running


@pytest.fixture
def service(mortal: LocalServers, tmp_path: Path) -> Iterator[Service]:
    folder = tmp_path / "service"
    folder.mkdir()
    running = Service(mortal.database_url, mortal.nats_url, folder)
    running.start()
    yield running
    running.stop()
