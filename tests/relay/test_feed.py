"""The contract of every feed: the double and NATS alike."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

import infra.bus
from infra.feed import Feed, FrameHeard, Placed
from infra.feed.memory import MemoryFeed
from infra.feed.nats import NatsFeed
from infra.store import Unavailable
from tests.hanging import hung
from tests.relay.conftest import Bus
from tests.relay.playing import until

SHARD = 3


def placed(first: int, last: int, match: str = "a") -> list[Placed]:
    """Return frames at these positions; their versions are the positions."""
    return [Placed(position, match, position, b"frame %d" % position) for position in range(first, last + 1)]


def keeping(found: list[tuple[int, bytes]]) -> FrameHeard:
    return lambda version, body: found.append((version, body))


async def test_nothing_is_kept_of_a_new_shard(feed: Feed) -> None:
    assert await feed.last_position(SHARD) is None


async def test_a_shard_starts_at_the_first_position_it_is_given(feed: Feed) -> None:
    assert await feed.publish(SHARD, placed(501, 503)) == 503
    assert await feed.last_position(SHARD) == 503


async def test_a_position_is_kept_once(feed: Feed) -> None:
    assert await feed.publish(SHARD, placed(1, 3)) == 3
    assert await feed.publish(SHARD, placed(1, 3)) == 3
    assert await feed.publish(SHARD, placed(2, 2)) == 3
    assert await feed.publish(SHARD, placed(4, 5)) == 5
    assert await feed.last_position(SHARD) == 5


async def test_a_position_that_leaves_a_gap_is_not_kept(feed: Feed) -> None:
    assert await feed.publish(SHARD, placed(1, 3)) == 3
    assert await feed.publish(SHARD, placed(5, 6)) == 3


async def test_two_who_publish_the_same_keep_it_once(feed: Feed) -> None:
    assert await feed.publish(SHARD, placed(1, 1)) == 1
    standing = await asyncio.gather(*(feed.publish(SHARD, placed(2, 50)) for _ in range(2)))
    assert max(standing) == 50
    assert await feed.last_position(SHARD) == 50


async def test_a_whole_page_is_kept_at_once(feed: Feed) -> None:
    assert await feed.publish(SHARD, placed(1, 1)) == 1
    assert await feed.publish(SHARD, placed(2, 200)) == 200


async def test_shards_do_not_share_positions(feed: Feed) -> None:
    await feed.publish(SHARD, placed(1, 3))
    assert await feed.last_position(SHARD + 1) is None


async def test_nothing_is_kept_of_a_forgotten_shard(feed: Feed) -> None:
    await feed.publish(SHARD, placed(1, 3))
    await feed.forget(SHARD)
    await feed.forget(SHARD)
    assert await feed.last_position(SHARD) is None


async def test_a_spectator_hears_the_frames_of_one_match_in_order(feed: Feed) -> None:
    heard: list[tuple[int, bytes]] = []
    await feed.publish(SHARD, placed(1, 1))
    listening = await feed.listen("a", None, keeping(heard))
    await feed.publish(SHARD, [*placed(1, 2, "a"), *placed(3, 3, "b"), *placed(4, 4, "a")])
    await until(lambda: len(heard) == 3)
    assert heard == [(1, b"frame 1"), (2, b"frame 2"), (4, b"frame 4")]
    await listening.stop()


async def test_a_seat_hears_what_it_alone_is_told(feed: Feed) -> None:
    first: list[tuple[int, bytes]] = []
    second: list[tuple[int, bytes]] = []
    spectator: list[tuple[int, bytes]] = []
    for seat, heard in ((1, first), (2, second), (None, spectator)):
        await feed.listen("a", seat, keeping(heard))
    await feed.tell("a", 1, 7, b"your dice")
    await feed.tell("a", 2, 7, b"your other dice")
    await feed.tell("b", 1, 7, b"of another match")
    await feed.tell("a", 1, 8, b"more")
    await until(lambda: len(first) == 2 and len(second) == 1)
    assert (first, second, spectator) == ([(7, b"your dice"), (8, b"more")], [(7, b"your other dice")], [])


async def test_what_one_sends_is_heard_at_once_and_once(feed: Feed) -> None:
    spectator: list[tuple[int, bytes]] = []
    seat: list[tuple[int, bytes]] = []
    await feed.listen("a", None, keeping(spectator))
    listening = await feed.listen("a", 1, keeping(seat))
    await feed.tell("a", 1, 1, b"your dice")
    assert seat == [(1, b"your dice")]
    for position in (1, 2):
        await feed.publish(SHARD, placed(position, position))
        assert spectator == [(version, b"frame %d" % version) for version in range(1, position + 1)]
    await feed.tell("a", 1, 2, b"more")
    await feed.check()
    await asyncio.sleep(0.05)
    assert (len(spectator), len(seat)) == (2, 2)
    await listening.stop()
    await feed.tell("a", 1, 3, b"for nobody")
    assert len(seat) == 2


async def test_who_has_stopped_listening_hears_nothing(feed: Feed) -> None:
    stopped: list[tuple[int, bytes]] = []
    heard: list[tuple[int, bytes]] = []
    listening = await feed.listen("a", 1, keeping(stopped))
    await feed.listen("a", 1, keeping(heard))
    await listening.stop()
    await listening.stop()
    await feed.tell("a", 1, 1, b"frame")
    await until(lambda: len(heard) == 1)
    assert stopped == []


async def test_pokes_reach_everybody(feed: Feed) -> None:
    poked: list[tuple[int, int]] = []
    listening = await feed.pokes(lambda shard, position: poked.append((shard, position)))
    await feed.poke(2, 40)
    await feed.poke(7, 9)
    await until(lambda: len(poked) == 2)
    assert poked == [(2, 40), (7, 9)]
    await listening.stop()


async def test_what_is_looked_at_is_heard_by_everybody(feed: Feed) -> None:
    first: list[str] = []
    second: list[str] = []
    listening = await feed.looks(first.append)
    await feed.looks(second.append)
    await feed.look("house")
    await until(lambda: len(first) == len(second) == 1)
    await listening.stop()
    await feed.look("c0ffee-1")
    await until(lambda: len(second) == 2)
    assert (first, second) == (["house"], ["house", "c0ffee-1"])


async def test_who_watches_a_match_is_heard_by_everybody_and_is_a_look_at_it(feed: Feed) -> None:
    told: list[tuple[str, bytes]] = []
    looks: list[str] = []
    listening = await feed.crowds(lambda match, watchers: told.append((match, watchers)))
    await feed.looks(looks.append)
    await feed.look("c0ffee-1", b"a node, and who watches there")
    await feed.look("house")
    await until(lambda: looks == ["c0ffee-1", "house"])
    await until(lambda: len(told) == 1)
    await listening.stop()
    assert told == [("c0ffee-1", b"a node, and who watches there")]


async def test_what_is_said_at_a_match_is_heard_once_by_all_who_listen_there_and_kept_for_nobody(feed: Feed) -> None:
    first: list[bytes] = []
    second: list[bytes] = []
    other: list[bytes] = []
    await feed.say("a", b"for nobody yet")
    listening = await feed.sayings("a", first.append)
    await feed.sayings("a", second.append)
    await feed.sayings("b", other.append)
    await feed.say("a", b"hello")
    await feed.say("b", b"good luck")
    await until(lambda: bool(first and second and other))
    await listening.stop()
    await feed.say("a", b"thanks")
    await until(lambda: len(second) == 2)
    assert (first, second, other) == ([b"hello"], [b"hello", b"thanks"], [b"good luck"])


async def test_seats_that_are_listened_for_are_heard_by_everybody(feed: Feed) -> None:
    first: list[list[tuple[str, int]]] = []
    second: list[list[tuple[str, int]]] = []
    listening = await feed.listeners(lambda seats: first.append([*seats]))
    await feed.listeners(lambda seats: second.append([*seats]))
    await feed.attend([("a", 1), ("b-2", 12)])
    await until(lambda: len(first) == len(second) == 1)
    await listening.stop()
    await feed.attend([])
    await until(lambda: len(second) == 2)
    assert (first, second) == ([[("a", 1), ("b-2", 12)]], [[("a", 1), ("b-2", 12)], []])


async def test_a_feed_that_is_there_says_so(feed: Feed) -> None:
    assert feed.connected
    await feed.close()
    assert feed.connected == isinstance(feed, MemoryFeed)


# ---- what only a real bus can do ----------------------------------------------------------------


async def test_a_bus_that_is_not_there_is_unavailable(bus: Bus) -> None:
    bus.kill()
    with pytest.raises(Unavailable, match="the bus does not answer"):
        await NatsFeed.connect(bus.url, wait_s=0.3)


async def test_a_bus_that_says_no_is_given_up_sooner_than_one_that_says_nothing(
    bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(infra.bus, "REFUSED_S", 2.5)
    monkeypatch.setattr(infra.bus, "CONNECT_S", 3_600)
    with hung(bus.pid):
        reaching = asyncio.create_task(NatsFeed.connect(bus.url))
        await asyncio.sleep(3)
        assert not reaching.done()
    async with asyncio.timeout(60):
        await (await reaching).close()
    bus.kill()
    async with asyncio.timeout(60):
        with pytest.raises(Unavailable, match="the bus does not answer"):
            await NatsFeed.connect(bus.url)


async def test_a_killed_bus_is_unavailable_until_it_is_back(bus: Bus) -> None:
    feed = await bus.feed()
    assert await feed.publish(SHARD, placed(1, 3)) == 3
    bus.kill()
    await until(lambda: not feed.connected)
    asks = (
        partial(feed.publish, SHARD, placed(4, 5)),
        partial(feed.last_position, SHARD),
        partial(feed.forget, SHARD),
        partial(feed.tell, "a", 1, 1, b""),
        partial(feed.poke, SHARD, 1),
        partial(feed.look, "house"),
        partial(feed.say, "a", b"hello"),
        partial(feed.attend, [("a", 1)]),
    )
    for ask in asks:
        with pytest.raises(Unavailable):
            await ask()
    await bus.start()
    await until(lambda: feed.connected)
    standing = await feed.last_position(SHARD)
    assert standing is None or standing <= 3


async def test_a_hung_bus_keeps_nobody_waiting_and_is_found_again(bus: Bus) -> None:
    feed = await bus.feed()
    await feed.publish(SHARD, placed(1, 3))
    await feed.check()
    with hung(bus.pid):
        asks = (
            partial(feed.publish, SHARD, placed(4, 5)),
            partial(feed.last_position, SHARD),
            partial(feed.forget, SHARD),
            partial(feed.check),
        )
        async with asyncio.timeout(60):
            for ask in asks:
                with pytest.raises(Unavailable):
                    await ask()
            listening = await feed.listen("a", None, lambda _version, _body: None)
            await until(lambda: not feed.connected)
            with pytest.raises(Unavailable):
                await feed.tell("a", 1, 1, b"")
            await listening.stop()
    await until(lambda: feed.connected)
    with hung(bus.pid):
        async with asyncio.timeout(60):
            await feed.close()


async def test_who_gives_up_a_ping_keeps_nobody_from_hearing(bus: Bus) -> None:
    """Its answer comes all the same: to whoever asked for too short a time, or went away as listening began."""
    feed, other, heard = await bus.feed(), await bus.feed(), list[int]()
    await feed.pokes(lambda _shard, position: heard.append(position))
    with hung(bus.pid), pytest.raises(Unavailable):
        await feed.check()
    await feed.check()
    await other.poke(SHARD, 1)
    await until(lambda: heard == [1])
    told = list[tuple[int, bytes]]()
    with hung(bus.pid):
        going = [asyncio.create_task(work) for work in (feed.check(), feed.listen("a", None, keeping(told)))]
        await asyncio.sleep(0.1)
        for task in going:
            task.cancel()
        await asyncio.wait(going)
    await feed.check()
    await other.publish(SHARD, placed(1, 1))
    await other.poke(SHARD, 2)
    await until(lambda: heard == [1, 2])
    assert told == [], "who went away is told nothing"


async def test_listeners_hear_again_after_the_bus_was_killed_and_wiped(bus: Bus) -> None:
    feed = await bus.feed()
    await feed.publish(SHARD, placed(1, 3))
    before: list[tuple[int, bytes]] = []
    meanwhile: list[tuple[int, bytes]] = []
    await feed.listen("a", None, keeping(before))
    bus.kill()
    await until(lambda: not feed.connected)
    await feed.listen("a", None, keeping(meanwhile))
    bus.wipe()
    await bus.start()
    await until(lambda: feed.connected)
    assert await feed.last_position(SHARD) is None
    assert await feed.publish(SHARD, placed(4, 5)) == 5
    await until(lambda: len(before) >= 2 and len(meanwhile) >= 2)
    assert before[-2:] == meanwhile[-2:] == [(4, b"frame 4"), (5, b"frame 5")]


async def test_who_sends_hears_what_a_bus_that_is_away_does_not_take_and_then_what_others_send(bus: Bus) -> None:
    feed, other = await bus.feed(), await bus.feed()
    heard: list[tuple[int, bytes]] = []
    await feed.listen("a", None, keeping(heard))
    bus.kill()
    await until(lambda: not feed.connected)
    with pytest.raises(Unavailable):
        await feed.publish(SHARD, placed(1, 2))
    assert heard == [(1, b"frame 1"), (2, b"frame 2")]
    await bus.start()
    await until(lambda: feed.connected and other.connected)
    await other.publish(SHARD, placed(3, 3))
    await until(lambda: (3, b"frame 3") in heard)


async def test_a_frame_without_a_body_is_heard_of_as_the_bus_has_it(bus: Bus) -> None:
    feed, other = await bus.feed(), await bus.feed()
    heard: list[tuple[int, bytes]] = []
    await feed.listen("a", None, keeping(heard))
    assert await other.publish(SHARD, placed(1, 1)) == 1
    await feed.publish(SHARD, [Placed(1, "a", 1, b"")])
    await until(lambda: (1, b"frame 1") in heard)


async def test_a_stream_that_somebody_deleted_is_begun_again(bus: Bus) -> None:
    feed, other = await bus.feed(), await bus.feed()
    await feed.publish(SHARD, placed(1, 3))
    await feed.listen("a", None, lambda _version, _body: None)
    await other.forget(SHARD)
    assert await feed.publish(SHARD, placed(4, 5)) == 5
    assert await bus.kept(SHARD) == placed(4, 5)


async def test_two_connections_that_begin_a_shard_agree(bus: Bus) -> None:
    feeds = [await bus.feed() for _ in range(2)]
    begun = await asyncio.gather(feeds[0].publish(SHARD, placed(10, 11)), feeds[1].publish(SHARD, placed(20, 21)))
    standing = await feeds[0].last_position(SHARD)
    assert standing in {9, 10, 11, 19, 20, 21}
    assert standing in begun


async def test_every_kept_frame_is_at_the_sequence_of_its_position(bus: Bus) -> None:
    await (await bus.feed()).publish(SHARD, placed(41, 60))
    assert await bus.kept(SHARD) == placed(41, 60)
