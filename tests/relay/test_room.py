"""A bus with little room: as much of a shard is kept as there is room for, and what nobody keeps is heard at once."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from infra.feed import room
from infra.feed.memory import MemoryFeed
from infra.feed.nats import NatsFeed
from infra.store import SHARDS, Unavailable
from infra.store.memory import MemoryStore
from services.local.nats import EmbeddedNats
from services.relay.follower import Follower
from services.relay.publisher import Publisher
from services.relay.relay import Relay
from services.relay.tail import LogTail
from tests.relay.playing import Played, eventually, running, until
from tests.relay.test_feed import keeping, placed

MIB = 2**20
Bus = Callable[..., Coroutine[Any, Any, NatsFeed]]


class Small(EmbeddedNats):
    """A NATS that may use so much, of the disk and of memory."""

    def __init__(self, folder: Path, disk: int, memory: int) -> None:
        super().__init__(folder)
        self.disk, self.memory = disk, memory

    def _write_settings(self) -> Path:
        path = super()._write_settings()
        settings = json.loads(path.read_text())
        settings["jetstream"] |= {"max_file_store": self.disk, "max_memory_store": self.memory}
        path.write_text(json.dumps(settings))
        return path


@pytest.fixture
async def bus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Bus]:
    """Return what starts a bus with so much room and connects to it, and starts it again with other room."""
    for patience in ("ACK_S", "KEEP_S", "PROBE_S"):
        monkeypatch.setattr(f"infra.feed.nats.{patience}", 60)
    server: list[Small] = []
    feeds: list[NatsFeed] = []

    async def started(disk: int, memory: int = 1) -> NatsFeed:
        if not server:
            server.append(Small(tmp_path, disk, memory))
        else:
            await server[0].stop()
            server[0].disk, server[0].memory = disk, memory
        await server[0].start()
        if not feeds:
            feeds.append(await NatsFeed.connect(server[0].url))
        return feeds[0]

    yield started
    for feed in feeds:
        await feed.close()
    await server[0].stop()


async def kept(feed: NatsFeed) -> list[int | None]:
    """Return up to which position each shard is kept."""
    return [await feed.last_position(shard) for shard in range(SHARDS)]


@pytest.mark.parametrize(
    ("disk", "memory"), [(600 * MIB, 1), (100 * MIB, 8 * MIB), (8 * MIB, 8 * MIB), (1, 40 * MIB), (1, 8 * MIB)]
)
async def test_every_shard_is_kept_in_the_room_there_is(bus: Bus, disk: int, memory: int) -> None:
    feed = await bus(disk, memory)
    for shard in range(SHARDS):
        assert await feed.publish(shard, placed(5, 9)) == 9
        assert await feed.publish(shard, placed(10, 12)) == 12
    assert await kept(feed) == [12] * SHARDS
    assert await feed.trouble() is None


async def test_where_there_is_no_room_frames_are_heard_at_once_and_kept_nowhere(
    bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A frame with which room is asked for again is heard once more.
    monkeypatch.setattr(room, "AGAIN_S", 600.0)
    feed = await bus(1)
    heard: list[tuple[int, bytes]] = []
    await feed.listen("a", None, keeping(heard))
    with capture_logs() as told:
        for shard in range(SHARDS):
            for position in range(1, 30):
                assert await feed.publish(shard, placed(position, position)) == position
    await until(lambda: len(heard) == SHARDS * 29)
    assert await kept(feed) == [None] * SHARDS
    assert [one["event"] for one in told if one["event"].startswith("feed.")] == ["feed.keeps_nothing"] * SHARDS
    assert await feed.trouble() == f"the bus has no room for frames of {SHARDS} shards: they are sent, and kept nowhere"


async def test_frames_are_kept_again_when_there_is_room(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "AGAIN_S", 0.2)
    feed = await bus(1)
    assert await feed.publish(0, placed(1, 5)) == 5
    await bus(100 * MIB)
    await until(lambda: feed.connected)

    async def is_kept() -> bool:
        position = is_kept.next = is_kept.next + 1  # type: ignore[attr-defined]
        try:
            assert await feed.publish(0, placed(position, position)) == position
        except Unavailable:
            is_kept.next -= 1  # type: ignore[attr-defined]
            return False
        return await feed.last_position(0) == position

    is_kept.next = 5  # type: ignore[attr-defined]
    with capture_logs() as told:
        await eventually(is_kept)
    assert "feed.keeps_again" in [one["event"] for one in told]
    assert await feed.trouble() is None


async def test_viewers_of_a_house_without_room_are_shown_every_frame(bus: Bus) -> None:
    feed, store = await bus(1), MemoryStore()
    match = Played(store, 1)
    heard: list[tuple[int, bytes]] = []
    await feed.listen(str(match.id), None, keeping(heard))
    tail = LogTail(store, feed)
    store.on_commit = tail.on_commit
    async with running(tail.run(), Relay(store, feed, tail).run()):
        await match.seat("Ada", "Bob")
        await match.deal()
        await match.finish()
        await until(lambda: len(heard) == match.match.version)
    assert [body for _, body in heard] == await match.replay(None)


async def test_a_relay_says_once_that_it_waits_and_once_that_it_goes_on(store: MemoryStore) -> None:
    class Away(Publisher):
        left = 4

        async def start(self, shard: int) -> int:
            if self.left:
                self.left -= 1
                raise Unavailable("away")
            return await super().start(shard)

    feed = MemoryFeed()
    tail = LogTail(store, feed)
    work = Away(store, feed, None)
    with capture_logs() as told:
        async with running(Follower(work, 3, tail).run()):
            await until(lambda: any(one["event"] == "work.goes_on" for one in told))
    ours = [one for one in told if (one.get("work"), one.get("shard")) == ("frames", 3)]  # a service beside tells more
    assert [one["event"] for one in ours] == ["work.waits", "work.goes_on"]
