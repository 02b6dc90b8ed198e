"""Feeds to test with: the double, and a NATS of the test's own that it may kill."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from shutil import rmtree

import nats
import nats.js.errors
import pytest
from nats.js.api import RawStreamMsg

from infra.feed import Feed, Placed
from infra.feed.memory import MemoryFeed
from infra.feed.nats import NatsFeed
from infra.store.memory import MemoryStore
from services.local.nats import EmbeddedNats
from services.work.startup import CannotStart
from tests.relay.playing import DEADLINE_S
from tests.sizes import cases

STRIDE = cases(4, 1)
"""Of how many steps of whoever follows the log one is its last; where it dies after one, those between."""


class Bus:
    """A NATS that can be killed, wiped and started again on its port."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._server = EmbeddedNats(folder)
        self._feeds: list[NatsFeed] = []

    @property
    def url(self) -> str:
        return self._server.url

    @property
    def pid(self) -> int:
        return self._server.pid

    async def start(self) -> None:
        """Start it, again where somebody else has its port for a moment."""
        async with asyncio.timeout(DEADLINE_S):
            while True:
                try:
                    return await self._server.start()
                except CannotStart:
                    await asyncio.sleep(0.2)

    async def feed(self) -> NatsFeed:
        """Return a new connection, as another process would have it."""
        self._feeds.append(await NatsFeed.connect(self.url))
        return self._feeds[-1]

    def kill(self) -> None:
        os.kill(self._server.pid, signal.SIGKILL)
        while self._server.alive:
            continue

    def wipe(self) -> None:
        rmtree(self._folder / "jetstream")

    async def kept(self, shard: int) -> list[Placed]:
        """Return the frames that the server keeps of a shard, asked for without our own feed."""
        connection = await nats.connect(self.url)
        stream = f"truecup-frames-{shard}"
        try:
            state = (await connection.jetstream().stream_info(stream)).state
            found = [
                await connection.jetstream().get_msg(stream, n) for n in range(state.first_seq, state.last_seq + 1)
            ]
        except nats.js.errors.NotFoundError:
            return []
        finally:
            await connection.close()
        return [_placed(message) for message in found]

    async def end(self) -> None:
        for feed in self._feeds:
            await feed.close()
        await self._server.stop()


def _placed(message: RawStreamMsg) -> Placed:
    headers = message.headers or {}
    match = headers["ce-source"].removeprefix("/matches/")
    return Placed(message.seq or 0, match, int(headers["ce-id"]), message.data or b"")


@pytest.fixture
async def bus(tmp_path: Path) -> AsyncIterator[Bus]:
    bus = Bus(tmp_path)
    await bus.start()
    yield bus
    await bus.end()


@pytest.fixture(params=["memory", "nats"])
async def feed(request: pytest.FixtureRequest, bus: Bus, monkeypatch: pytest.MonkeyPatch) -> Feed:
    for patience in ("ACK_S", "KEEP_S"):
        monkeypatch.setattr(f"infra.feed.nats.{patience}", 60)
    return MemoryFeed() if request.param == "memory" else await bus.feed()


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()
