"""A bus of three servers to test with, and a house of several nodes on it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.cluster.bus import BusCluster


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def buses(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[BusCluster]:
    """Three servers, which a test that kills one starts again."""
    cluster = BusCluster(tmp_path_factory.mktemp("buses") / "nats")
    await cluster.start()
    yield cluster
    await asyncio.to_thread(cluster.stop)
