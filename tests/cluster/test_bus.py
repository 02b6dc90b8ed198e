"""A bus of three servers: a feed goes on at another one, and nobody waits for whoever is to lead next."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio
from structlog.testing import capture_logs

from infra.feed.nats import NatsFeed
from infra.store import Unavailable
from services.local.nats import EmbeddedNats
from tests.cluster.bus import BusCluster, Server
from tests.relay.playing import eventually, until
from tests.relay.test_feed import keeping, placed

Another = Callable[[], Awaitable[NatsFeed]]


@pytest_asyncio.fixture(loop_scope="session")
async def another(buses: BusCluster) -> AsyncIterator[Another]:
    """Return a function that returns a connection to the cluster, as one more process has it."""
    feeds: list[NatsFeed] = []

    async def connected() -> NatsFeed:
        feeds.append(await NatsFeed.connect(buses.url, wait_s=60))
        return feeds[-1]

    yield connected
    for feed in feeds:
        await feed.close()


def server_of(feed: NatsFeed, buses: BusCluster) -> Server:
    """Return the server that a feed has."""
    url = feed.client.connected_url
    assert url is not None
    return next(server for server in buses.servers if server.port == url.port)


async def info_of(feed: NatsFeed, shard: int) -> tuple[int, int]:
    """Return at how many servers a shard is kept, and up to where."""
    info = await feed.client.jetstream(timeout=60).stream_info(f"truecup-frames-{shard}")
    return info.config.num_replicas or 0, info.state.last_seq


async def test_what_is_kept_is_kept_at_three_of_three_servers(another: Another) -> None:
    feed = await another()
    assert await feed.publish(0, placed(7, 9)) == 9
    assert await info_of(feed, 0) == (3, 9)


async def test_a_feed_goes_on_at_another_server_when_its_own_is_killed(another: Another, buses: BusCluster) -> None:
    feed, other = await another(), await another()
    found: list[tuple[int, bytes]] = []
    await other.listen("a", None, keeping(found))
    assert await feed.publish(1, placed(1, 2)) == 2
    killed = server_of(feed, buses)
    killed.kill()
    await until(lambda: not feed.connected or server_of(feed, buses) is not killed)
    await until(lambda: feed.connected and other.connected)

    async def published() -> bool:
        # Whoever leads the shard may have to be found first: then it is heard all the same, or published again.
        try:
            return await feed.publish(1, placed(3, 4)) == 4
        except Unavailable:
            return False

    await eventually(published)
    await until(lambda: (4, b"frame 4") in found)
    await killed.start()
    await buses.until_kept()


async def test_frames_are_heard_while_nothing_can_be_kept_and_are_kept_again_afterwards(
    another: Another, buses: BusCluster
) -> None:
    """Without most of its servers nobody leads, and JetStream answers nothing; what remains carries all the same."""
    feed = await another()
    assert await feed.publish(2, placed(1, 2)) == 2
    left = server_of(feed, buses)
    lost = [server for server in buses.servers if server is not left]
    listener = await another()
    found: list[tuple[int, bytes]] = []
    await listener.listen("a", None, keeping(found))

    async def published(first: int, last: int) -> bool:
        # What remains may find first that the others have gone.
        try:
            return await feed.publish(2, placed(first, last)) == last
        except Unavailable:
            return False

    with capture_logs() as told:
        for server in lost:
            server.kill()
        await until(lambda: listener.connected and server_of(listener, buses) is left)
        await eventually(partial(published, 3, 4))
        await eventually(partial(published, 5, 6))
        await until(lambda: (6, b"frame 6") in found)
    assert "feed.keeps_nothing" in [line["event"] for line in told]
    assert await feed.trouble() is not None
    for server in lost:
        await server.start()
    await buses.until_kept()

    async def kept() -> bool:
        # The shard stands where it stood before; its follower publishes from there again.
        try:
            return await feed.publish(2, placed((await feed.last_position(2) or 0) + 1, 7)) == 7
        except Unavailable:
            return False

    await eventually(kept)


async def test_a_server_that_is_alone_keeps_nothing_at_three_and_carries_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("infra.feed.nats.KEEP_S", 60)
    bus = EmbeddedNats(tmp_path / "nats")
    await bus.start()
    feed, listener = await NatsFeed.connect(bus.url, replicas=3), await NatsFeed.connect(bus.url)
    found: list[tuple[int, bytes]] = []
    await listener.listen("a", None, keeping(found))
    assert await feed.publish(0, placed(1, 2)) == 2
    await until(lambda: [version for version, _ in found] == [1, 2])
    assert await feed.trouble() is not None
    for each in (feed, listener):
        await each.close()
    await bus.stop()
