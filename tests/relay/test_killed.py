"""Relays killed with SIGKILL over a real Postgres and a real NATS, while matches are played."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from domain.statistics.tallies import tally_of_match
from domain.statistics.uniformity import statistics
from infra.store.postgres import PostgresStore, opened
from services.matches.reads.queries import Library
from tests.relay.conftest import Bus
from tests.relay.playing import Played, eventually, lobby_of

ROOT = Path(__file__).parents[2]
PROCESS = Path(__file__).with_name("process.py")


@pytest.fixture
async def durable(database: str) -> AsyncIterator[PostgresStore]:
    store = await opened(database, "truecup_dealer")
    yield store
    await store.close()


@asynccontextmanager
async def relay(database_url: str, bus: Bus) -> AsyncIterator[None]:
    """Run a relay, and kill it."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(PROCESS), database_url, bus.url, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    try:
        yield
        assert process.returncode is None
    finally:
        process.kill()
        await process.wait()


async def relayed(bus: Bus, match: Played, version: int) -> None:
    """Wait until the frames of a match are kept up to a version."""

    async def is_kept() -> bool:
        try:
            return any(frame.version >= version for frame in await bus.kept(match.shard))
        except TimeoutError:
            return False

    await eventually(is_kept)


async def test_killed_relays_lose_no_frame_and_repeat_none(database: str, durable: PostgresStore, bus: Bus) -> None:
    match = Played(durable, 1)
    await match.seat("Ada", "Bob", "Cyd")
    await match.deal()
    for lives in range(4):
        async with relay(database, bus):
            await relayed(bus, match, match.match.version)
            for _ in range(10 * lives):
                await match.step()
    bus.kill()
    await bus.start()
    await match.finish()
    async with relay(database, bus), relay(database, bus):
        await relayed(bus, match, match.match.version)

        async def is_in_lobby() -> bool:
            return [row.version for row in await lobby_of(durable)] == [match.match.version]

        await eventually(is_in_lobby)

        async def is_counted() -> bool:
            return await Library(durable, None).statistics() == statistics(
                tally_of_match(await durable.read(match.stream))
            )

        await eventually(is_counted)
    kept = await bus.kept(match.shard)
    assert [frame.position for frame in kept] == list(range(1, match.match.version + 1))
    assert [frame.body for frame in kept] == await match.replay(None)
