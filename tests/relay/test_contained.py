"""One broken match: every follower leaves it out, goes on with all others, and takes it up when it can be read."""

from __future__ import annotations

import random
from copy import deepcopy
from itertools import count
from typing import Any

import msgspec
import pytest
from prometheus_client import CollectorRegistry, generate_latest
from structlog.testing import capture_logs

from domain.audit import access
from infra.feed import Placed
from infra.feed.memory import MemoryFeed
from infra.store import SHARDS, Access, Recorded
from infra.store.memory import MemoryStore
from projections.lobby import LobbyRow
from services.matches.reads.frame_buffer import WaitPolicy
from services.matches.reads.milestones import Milestones
from services.matches.reads.queries import MatchQueries
from services.matches.reads.streams import StreamHub
from services.relay.lobby_projector import LobbyProjector
from services.relay.publisher import FRAME_BYTES_MAX, Publisher
from services.relay.relay import Relay
from services.relay.statistics_projector import StatisticsProjector
from services.relay.tail import LogTail
from services.work.failures import Stuck, Unreadable
from tests.relay import test_statistics
from tests.relay.conftest import STRIDE, Bus
from tests.relay.killing import Fate, Killed
from tests.relay.playing import Played, Vaulted, eventually, lobby_of, match_id, running, until
from tests.relay.poison import POISONS, SECRET, later_version, poison, poison_access, waved
from tests.relay.test_relay import caught_up

WORKS = ("frames", "lobby", "statistics")


async def relayed(store: MemoryStore, feed: MemoryFeed, stuck: Stuck, private: Vaulted | None = None) -> None:
    """Run a relay until there is nothing left to do."""
    tail = LogTail(store, feed)
    async with running(tail.run(), Relay(store, feed, tail, private, stuck=stuck).run()):
        await eventually(lambda: caught_up(store, feed))


async def begun(store: MemoryStore, number: int) -> Played:
    match = Played(store, number)
    await match.seat("Ada", "Bob")
    await match.deal()
    return match


def counted(registry: CollectorRegistry) -> dict[str, float]:
    """Return how many matches each work cannot go on with, as the meters say."""
    found = {}
    for work in WORKS:
        found[work] = registry.get_sample_value("truecup_matches_unreadable", {"work": work}) or 0.0
    return found


async def version_in_lobby(store: MemoryStore, match: Played) -> int:
    rows = [msgspec.json.decode(row.doc, type=LobbyRow) for row in await lobby_of(store)]
    return next((row.version for row in rows if row.match == str(match.id)), 0)


@pytest.mark.parametrize("kind", POISONS)
async def test_a_line_that_cannot_be_read_harms_its_match_only(store: MemoryStore, kind: str) -> None:
    feed, registry = MemoryFeed(), CollectorRegistry()
    stuck = Stuck(registry)
    broken, whole = await begun(store, 1), await begun(store, 2)
    await relayed(store, feed, stuck)
    good = broken.match.version
    line = await poison(store, broken.stream, POISONS[kind])
    await poison(store, broken.stream)
    await whole.finish()
    with capture_logs() as told:
        await relayed(store, feed, stuck)

    kept = [frame for frames in feed.kept.values() for frame in frames]
    assert [one.body for one in kept if one.match == str(whole.id)] == await whole.replay(None)
    assert [one.body for one in kept if one.match == str(broken.id)][good:] == [b"", b""]
    assert [one.version for one in kept if one.match == str(broken.id)] == list(range(1, good + 3))
    assert await version_in_lobby(store, whole) == whole.match.version
    assert await version_in_lobby(store, broken) == good
    sheets = {sheet.match: sheet.version for sheet in await test_statistics.sheets_of(store)}
    assert sheets == {str(whole.id): whole.match.version, str(broken.id): good}

    works = {one["work"] for one in told if one["event"] == "match.stuck"}
    assert works <= set(WORKS)
    assert len(works) == len([one for one in told if one["event"] == "match.stuck"]), "each says it once"
    assert {one["stream"] for one in told if one["event"] == "match.stuck"} == {broken.stream}
    assert SECRET not in str([{**one, "exc_info": ""} for one in told])
    assert SECRET.encode() in line or kind == "of a seat nobody has"
    assert counted(registry) == {work: float(work in works) for work in WORKS}
    assert {"frames", "lobby"} <= works
    assert (await stuck.notice() or "").startswith("1 matches")


async def test_a_match_that_says_it_is_another_shows_nothing_in_its_place(store: MemoryStore) -> None:
    """A stream that begins as if it were another match leaves that one as it is, in the lobby, too."""
    feed, stuck = MemoryFeed(), Stuck()
    whole = await begun(store, 1)
    first = (await store.read(whole.stream))[0]
    stranger = f"match/{match_id(7)}"
    await poison(store, stranger, lambda _stream, _seq, _prev: first.replace(whole.stream.encode(), stranger.encode()))
    await relayed(store, feed, stuck)
    assert await version_in_lobby(store, whole) == whole.match.version
    assert len(await lobby_of(store)) == 1
    with pytest.raises(Unreadable):
        await MatchQueries(store, None).view(match_id(7), None)


async def test_a_match_that_cannot_be_read_costs_a_line_at_a_time(store: MemoryStore) -> None:
    match = await begun(store, 1)
    good = match.match.version
    for _ in range(30):
        await poison(store, match.stream)
    asked: list[int] = []

    class Counting(MemoryStore):
        def __init__(self) -> None:
            self.__dict__ = store.__dict__

        async def read(self, stream: str, after: int = 0, limit: int = 100_000) -> list[bytes]:
            lines = await super().read(stream, after, limit)
            asked.append(len(lines))
            return lines

    milestones, library = Milestones(Counting()), MatchQueries(Counting(), None)
    rows = await store.follow(match.shard, 0, 1_000)
    for row in rows:
        if row.seq < good:
            await milestones.after(row)
        else:
            with pytest.raises(Unreadable):
                await milestones.after(row)
    assert sum(asked) <= 30, asked
    asked.clear()
    for _ in range(9):
        with pytest.raises(Unreadable):
            await library.view(match.id, None)
    assert asked == [good + 30, *(1 for _ in range(8))]


async def test_no_die_leaves_for_a_seat_where_nobody_can_say_who_saw_what(store: MemoryStore) -> None:
    feed, stuck = MemoryFeed(), Stuck()
    broken, whole = Played(store, 1), await begun(store, 2)
    await broken.seat("Ada", "Bob")
    lines, _ = access.new_access_stream(broken.id, 0)
    assert await store.append_access(broken.stream, Access(access.stream_of(broken.id), 0, lines))
    await poison_access(store, str(broken.id))
    await broken.deal()
    await broken.step()
    await whole.finish()
    told: list[bytes] = []
    await feed.listen(str(broken.id), 1, lambda _version, body: told.append(body))
    await relayed(store, feed, stuck, Vaulted([broken, whole]))
    assert told
    assert b'"face":' not in b"".join(told)
    kept = [one.body for frames in feed.kept.values() for one in frames if one.match == str(whole.id)]
    assert kept == await whole.replay(None)
    assert stuck.is_stuck("frames", broken.stream)
    assert not stuck.is_stuck("lobby", broken.stream)
    with pytest.raises(Unreadable):
        await MatchQueries(store, Vaulted([broken])).view(broken.id, 1)


async def test_a_frame_too_long_for_the_bus_is_left_to_the_log(store: MemoryStore) -> None:
    feed, match = MemoryFeed(), Played(store, 1)
    await match.open()
    await match.join("A" * FRAME_BYTES_MAX)
    await match.join("Bob")
    await relayed(store, feed, Stuck())
    assert [len(one.body) > 0 for one in feed.kept[match.shard]] == [True, False, False, False, False]


# ---- a later version of the program -------------------------------------------------------------


async def wave(match: Played) -> None:
    """Let a program of a later version write a line that only it knows."""
    with later_version():
        await match.take(waved(match.stream, match.match.version, match.written.head))


async def play_on(match: Played, steps: int) -> None:
    for _ in range(steps):
        if not match.match.ended:
            await match.step()


async def test_what_an_earlier_version_left_out_is_made_up_for_by_a_later_one(store: MemoryStore) -> None:
    feed, stuck = MemoryFeed(), Stuck()
    waved_at, whole = await begun(store, 1), await begun(store, 2)
    await wave(waved_at)
    await waved_at.finish()
    await whole.finish()
    await relayed(store, feed, stuck)
    assert await version_in_lobby(store, whole) == whole.match.version
    assert await version_in_lobby(store, waved_at) == 0
    with later_version():
        later, tail = Stuck(), LogTail(store, feed)

        async def made_up_for() -> bool:
            counted = (await MatchQueries(store, None).statistics()).matches == 2
            return counted and await version_in_lobby(store, waved_at) == waved_at.match.version

        async with running(Relay(store, feed, tail, stuck=later).run()):
            await eventually(made_up_for)
        await test_statistics.check(store, [waved_at, whole])
        assert await later.notice() is None


async def test_an_earlier_version_beside_a_later_one_leaves_no_viewer_a_gap(store: MemoryStore) -> None:
    """The earlier one was first to publish what it cannot draw; whoever watches at the later one gets every frame."""
    feed = MemoryFeed()
    match = await begun(store, 1)
    with later_version():
        library = MatchQueries(store, None)
        streams = StreamHub(library, feed, WaitPolicy(quiet_s=3_600, away_s=3_600, late_s=0.01))
        first = match.match.version
        seen: list[int | None] = []

        async def watch() -> None:
            async for item in streams.stream(match.id, None, None):
                seen.append(item.version)  # noqa: PERF401 - it is looked at meanwhile

        async with running(watch()):
            await until(lambda: seen == [first])
            await match.take(waved(match.stream, match.match.version, match.written.head))
            await play_on(match, 2)
            for row in await store.follow(match.shard, first, 1_000):
                await feed.publish(match.shard, [Placed(row.position, str(match.id), row.seq + 1, b"")])
            await until(lambda: seen[-1] == match.match.version)
    assert seen == list(range(first, match.match.version + 1))


async def test_an_earlier_version_that_was_overtaken_goes_on_behind_what_it_cannot_read(store: MemoryStore) -> None:
    """The later one has published the frame meanwhile: nobody asks the earlier one for it, so it says nothing of it."""
    feed, stuck = MemoryFeed(), Stuck()
    match = await begun(store, 1)
    earlier, later = Publisher(store, feed, None, stuck=stuck), Publisher(store, feed, None)
    seen = await store.follow(match.shard, await earlier.start(match.shard), 1_000)
    await wave(match)
    with later_version():
        page = await store.follow(match.shard, await later.start(match.shard), 1_000)
        end = await later.take(match.shard, page)

    assert await earlier.take(match.shard, seen) == await earlier.start(match.shard) == end == seen[-1].position + 1
    assert not stuck.is_stuck("frames", match.stream)
    assert all(frame.body for frame in feed.kept[match.shard])

    await wave(match)
    await earlier.take(match.shard, await store.follow(match.shard, end, 1_000))
    assert stuck.is_stuck("frames", match.stream), "it comes to the next one first"


async def test_a_stream_says_goodbye_where_its_match_cannot_be_read_on(store: MemoryStore) -> None:
    feed, match = MemoryFeed(), await begun(store, 1)
    streams = StreamHub(MatchQueries(store, None), feed, WaitPolicy(quiet_s=3_600, away_s=3_600, late_s=0.01))
    items = streams.stream(match.id, None, None)
    assert (await anext(items)).kind == "snapshot"
    await wave(match)
    await feed.publish(match.shard, [Placed(1, str(match.id), match.match.version, b"")])
    assert [item.kind async for item in items] == ["bye"]
    with pytest.raises(Unreadable):
        await anext(streams.stream(match.id, None, None))


class Node:
    """A program that follows a shard, of an earlier version or a later one; it may be started anew at any time."""

    def __init__(self, store: MemoryStore, shard: int, *, later: bool) -> None:
        self.store = store
        self.shard = shard
        self.later = later
        self.works: list[Any] = []
        self.positions: list[int] = []

    async def start(self) -> None:
        stuck = Stuck()
        self.works = [StatisticsProjector(self.store, stuck=stuck), LobbyProjector(self.store, stuck=stuck)]
        self.positions = [await self._as_it_is(work.start, self.shard) for work in self.works]

    async def take(self, most: int) -> None:
        for number, work in enumerate(self.works):
            page = await self.store.follow(self.shard, self.positions[number], most)
            if page:
                self.positions[number] = await self._as_it_is(work.take, self.shard, page)

    async def _as_it_is(self, work: Any, *args: Any) -> int:
        # Nothing that is asked of memory waits, so nobody else is at work in between.
        if not self.later:
            return int(await work(*args))
        with later_version():
            return int(await work(*args))

    async def finish(self) -> None:
        end = (await self.store.positions())[self.shard]
        while any(position < end for position in self.positions):
            await self.take(1_000)


def two_of_a_shard(store: MemoryStore) -> list[Played]:
    """Return two matches that share a shard."""
    first = Played(store, 1)
    return [first, next(one for number in count(2) if (one := Played(store, number)).shard == first.shard)]


@pytest.mark.parametrize("seed", range(6))
async def test_nodes_of_two_versions_count_and_list_every_match_once_in_the_end(store: MemoryStore, seed: int) -> None:
    """They take pages of any size, are started anew at any time, and one of them cannot read one of the matches."""
    moments = random.Random(seed)
    matches = two_of_a_shard(store)
    for match in matches:
        await match.seat("Ada", "Bob")
        await match.deal()
    nodes = [Node(store, matches[0].shard, later=later) for later in (False, True)]
    for node in nodes:
        await node.start()
    for _ in range(moments.randrange(10, 60)):
        match = moments.choice(matches)
        if match is matches[0] and moments.random() < 0.3 and not match.match.ended:
            await wave(match)
        await play_on(match, moments.randrange(4))
        node = moments.choice(nodes)
        await (node.start() if moments.random() < 0.2 else node.take(moments.randrange(1, 90)))
    await nodes[moments.randrange(2)].finish()
    last = nodes[1]
    await last.start()
    await last.finish()
    with later_version():
        await test_statistics.check(store, matches)
    for match in matches:
        assert await version_in_lobby(store, match) == match.match.version


@pytest.mark.parametrize("after", [False, True], ids=["before it", "after it"])
async def test_a_later_version_killed_at_any_step_makes_up_for_it_once(store: MemoryStore, *, after: bool) -> None:
    matches = [await begun(store, number) for number in (1, 2)]
    await wave(matches[0])
    for match in matches:
        await match.finish()
    await relayed(store, MemoryFeed(), Stuck())
    with later_version():
        for step in count(STRIDE // 2 * after, STRIDE):
            copy, fate = deepcopy(store), Fate(step, after=after)
            for work in (StatisticsProjector, LobbyProjector):
                try:
                    await _started(work(fate.over(copy)))
                except Killed:
                    await _started(work(copy))
            await test_statistics.check(copy, matches)
            assert await version_in_lobby(copy, matches[0]) == matches[0].match.version
            if not fate.struck:
                break
    assert step > 2 * SHARDS, "these are all their steps"


async def _started(work: Any) -> None:
    for shard in range(SHARDS):
        await work.start(shard)


async def test_a_stream_with_a_name_that_the_bus_would_refuse_holds_nothing_up(store: MemoryStore, bus: Bus) -> None:
    match = await begun(store, 1)
    for number in range(40):
        await poison(store, f"{number} is > no\r\nmatch.*")
    await match.step()
    feed = await bus.feed()
    tail = LogTail(store, feed)
    async with running(tail.run(), Relay(store, feed, tail).run()):
        await eventually(lambda: caught_up(store, feed))
    kept = await bus.kept(match.shard)
    assert [one.body for one in kept if one.match == str(match.id)] == await match.replay(None)
    assert {one.match for one in kept} == {str(match.id), "unnamed"}


async def test_a_publisher_gives_every_position_a_message(store: MemoryStore) -> None:
    match = await begun(store, 1)
    await wave(match)
    await play_on(match, 3)
    feed, stuck = MemoryFeed(), Stuck()
    work = Publisher(store, feed, None, stuck=stuck)
    page: list[Recorded] = await store.follow(match.shard, await work.start(match.shard), 1_000)
    assert await work.take(match.shard, page) == page[-1].position
    assert [one.position for one in feed.kept[match.shard]] == list(range(1, len(page) + 1))
    assert generate_latest(CollectorRegistry()) == b""
