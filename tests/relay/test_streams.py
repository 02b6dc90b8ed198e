"""Streams: a snapshot, every frame after it once and in order, and how it ended, for readers quick and slow."""

from __future__ import annotations

import asyncio
from uuid import UUID

import msgspec
import pytest

from infra.feed import FrameHeard, Listening, Placed
from infra.feed.memory import MemoryFeed
from infra.store import Unavailable
from infra.store.memory import MemoryStore
from projections.view import View
from services.matches.reads.frame_buffer import BYTES_MAX, FRAMES_MAX, PAGE, StreamItem, WaitPolicy
from services.matches.reads.queries import UnknownMatch
from services.matches.reads.streams import StreamHub
from services.matches.secrets.tokens import Holder
from services.relay.relay import Relay
from services.relay.tail import LogTail
from tests.relay.conftest import Bus
from tests.relay.playing import LogSource, Played, Reader, Vaulted, match_id, running, until

QUICK = WaitPolicy(quiet_s=0.05, away_s=0.05, late_s=0.01)
NEVER = WaitPolicy(quiet_s=3_600, away_s=3_600, late_s=3_600)


@pytest.fixture
async def match(store: MemoryStore) -> Played:
    """Return a match of three at its first roll."""
    match = Played(store, 1)
    await match.seat("Ada", "Bob", "Cyd")
    await match.deal()
    return match


async def tell(feed: MemoryFeed, match: Played, seat: int | None, *versions: int) -> None:
    """Bring these frames to those who listen for a seat, as the relay would."""
    frames = await match.replay(seat)
    for version in versions:
        if seat is None:
            await feed.publish(0, [Placed(version, str(match.id), version, frames[version - 1])])
        else:
            await feed.tell(str(match.id), seat, version, frames[version - 1])


async def test_a_stream_begins_with_what_the_viewer_sees_now(match: Played) -> None:
    streams = StreamHub(LogSource(match), MemoryFeed())
    for seat in (None, 2):
        items = streams.stream(match.id, seat, None)
        first = await anext(items)
        view = msgspec.json.decode(first.body)["snapshot"]
        assert (first.kind, first.version, view["viewer"]) == ("snapshot", match.match.version, seat)
        await items.aclose()
    assert streams.buffers == 0


async def test_a_match_that_does_not_exist_is_said_before_anything_else(match: Played) -> None:
    streams = StreamHub(LogSource(match), MemoryFeed())
    for _ in range(2):
        with pytest.raises(UnknownMatch):
            await anext(streams.stream(match_id(99), None, None))
    assert streams.buffers == 0


@pytest.mark.parametrize("seat", [None, 1, 3])
async def test_every_viewer_gets_every_frame_once_and_then_the_end(
    match: Played, store: MemoryStore, seat: int | None
) -> None:
    feed = MemoryFeed()
    source = LogSource(match)
    reader = Reader(StreamHub(source, feed, NEVER).stream(match.id, seat, None))
    await until(lambda: reader.version > 0)
    begun = reader.version
    tail = LogTail(store, feed)
    store.on_commit = tail.on_commit
    async with running(tail.run(), Relay(store, feed, tail, Vaulted([match])).run()):
        await match.finish()
        await asyncio.wait_for(reader.task, 60)
    assert reader.frames == (await match.replay(seat))[begun:]
    assert [item.version for item in reader.items[1:-1]] == list(range(begun + 1, match.match.version + 1))
    assert reader.items[-1] == StreamItem("ended", match.match.version, b'{"ended":%d}' % match.match.version)


async def test_a_stream_resumes_after_the_version_last_seen(match: Played) -> None:
    streams = StreamHub(LogSource(match), MemoryFeed())
    reader = Reader(streams.stream(match.id, None, 3))
    await until(lambda: reader.version == match.match.version and len(reader.items) > 1)
    assert reader.items[0].version == match.match.version
    assert reader.frames == (await match.replay(None))[3:]
    await reader.stop()


async def test_a_stream_of_a_match_that_has_ended_shows_it_and_ends(match: Played) -> None:
    await match.finish()
    source = LogSource(match)
    streams = StreamHub(source, MemoryFeed())
    short, whole = Reader(streams.stream(match.id, None, None)), Reader(streams.stream(match.id, None, 0))
    await asyncio.wait_for(asyncio.gather(short.task, whole.task), 60)
    assert [item.kind for item in short.items] == ["snapshot", "ended"]
    assert whole.frames == await match.replay(None)
    assert whole.items[-1].kind == "ended"
    assert source.pages <= match.match.version / PAGE + 4


async def test_spectators_share_one_tape_and_the_same_bytes(match: Played) -> None:
    feed, source = MemoryFeed(), LogSource(match)
    streams = StreamHub(source, feed, NEVER)
    readers = [Reader(streams.stream(match.id, None, None)) for _ in range(20)]
    await until(lambda: all(reader.version for reader in readers))
    await match.step()
    await tell(feed, match, None, match.match.version)
    await until(lambda: all(reader.frames for reader in readers))
    assert len({id(reader.frames[0]) for reader in readers}) == 1
    assert (streams.buffers, source.views, source.pages) == (1, 1, 1)
    for reader in readers:
        await reader.stop()
    assert streams.buffers == 0


async def test_frames_that_come_twice_or_late_are_told_once(match: Played) -> None:
    feed = MemoryFeed()
    reader = Reader(StreamHub(LogSource(match), feed, NEVER).stream(match.id, None, None))
    await until(lambda: reader.version > 0)
    begun = reader.version
    for _ in range(3):
        await match.step()
    news = list(range(begun + 1, match.match.version + 1))
    await tell(feed, match, None, *news[:2], *news[:1], begun, *news)
    await until(lambda: reader.version == match.match.version)
    assert [item.version for item in reader.items[1:]] == news
    await reader.stop()


async def test_a_gap_is_filled_from_the_log(match: Played) -> None:
    feed = MemoryFeed()
    patience = WaitPolicy(quiet_s=3_600, away_s=3_600, late_s=0.01)
    reader = Reader(StreamHub(LogSource(match), feed, patience).stream(match.id, None, None))
    await until(lambda: reader.version > 0)
    begun = reader.version
    for _ in range(3):
        await match.step()
    await tell(feed, match, None, match.match.version)
    await until(lambda: reader.version == match.match.version)
    assert reader.frames == (await match.replay(None))[begun:]
    await reader.stop()


async def test_a_seat_is_served_from_the_log_where_nobody_makes_frames_for_seats(match: Played) -> None:
    feed = MemoryFeed()
    patience = WaitPolicy(quiet_s=3_600, away_s=3_600, late_s=0.01)
    reader = Reader(StreamHub(LogSource(match), feed, patience).stream(match.id, 2, None))
    await until(lambda: reader.version > 0)
    begun = reader.version
    await match.step()
    await tell(feed, match, None, *range(begun + 1, match.match.version + 1))
    await until(lambda: reader.version == match.match.version)
    assert reader.frames == (await match.replay(2))[begun:]
    await reader.stop()


@pytest.mark.parametrize("connected", [True, False])
async def test_a_silent_feed_only_delays(match: Played, *, connected: bool) -> None:
    feed, source = MemoryFeed(), LogSource(match)
    feed.connected = connected
    patience = WaitPolicy(quiet_s=0.05 if connected else 60, away_s=3_600 if connected else 0.05, late_s=0.01)
    streams = StreamHub(source, feed, patience)
    readers = [Reader(streams.stream(match.id, None, None)) for _ in range(10)]
    await until(lambda: all(reader.version for reader in readers))
    begun, asked = readers[0].version, source.pages
    await match.step()
    await until(lambda: all(reader.version == match.match.version for reader in readers))
    assert all(reader.frames == readers[0].frames for reader in readers)
    assert readers[0].frames == (await match.replay(None))[begun:]
    assert source.pages - asked < len(readers), "one looks for all"
    for reader in readers:
        await reader.stop()


async def test_a_reader_that_stops_reading_holds_nothing_but_its_place(match: Played) -> None:
    feed = MemoryFeed()
    streams = StreamHub(LogSource(match), feed, NEVER)
    slow = streams.stream(match.id, None, None)
    begun = (await anext(slow)).version
    assert begun is not None
    quick = Reader(streams.stream(match.id, None, None))
    await until(lambda: quick.version == begun)
    await match.finish()
    frames = await match.replay(None)
    for version in range(begun + 1, match.match.version + 1, 50):
        await tell(feed, match, None, *range(version, min(version + 50, match.match.version + 1)))
        await asyncio.sleep(0)
    await until(lambda: quick.items[-1].kind == "ended")
    (tape,) = streams._by_viewer.values()  # noqa: SLF001 - what is asked is how much it keeps
    assert match.match.version - begun > FRAMES_MAX >= len(tape._frames)  # noqa: SLF001
    assert sum(map(len, tape._frames)) <= BYTES_MAX  # noqa: SLF001
    rest = [item async for item in slow]
    assert [item.body for item in rest[:-1]] == frames[begun:]
    assert rest[-1].kind == "ended"


async def test_a_tape_keeps_no_more_bytes_than_its_bound(match: Played) -> None:
    feed = MemoryFeed()
    streams = StreamHub(LogSource(match), feed, NEVER)
    items = streams.stream(match.id, None, None)
    begun = (await anext(items)).version
    assert begun is not None
    body = b'{"event":{"type":"game.bid"},"view":"' + b"x" * (BYTES_MAX // 3) + b'"}'
    for version in range(begun + 1, begun + 10):
        await feed.publish(0, [Placed(version, str(match.id), version, body)])
    (tape,) = streams._by_viewer.values()  # noqa: SLF001
    assert (tape.version, len(tape._frames)) == (begun + 9, 2)  # noqa: SLF001
    await items.aclose()


async def test_every_stream_says_bye_when_the_process_ends(match: Played) -> None:
    streams = StreamHub(LogSource(match), MemoryFeed(), NEVER)
    readers = [Reader(streams.stream(match.id, seat, None)) for seat in (None, 1, None)]
    await until(lambda: all(reader.version for reader in readers))
    streams.close()
    await asyncio.wait_for(asyncio.gather(*(reader.task for reader in readers)), 60)
    version = match.match.version
    assert {reader.items[-1] for reader in readers} == {StreamItem("bye", version, b'{"bye":%d}' % version)}
    assert streams.buffers == 0
    late = [item.kind async for item in streams.stream(match.id, None, None)]
    assert late == ["snapshot", "bye"]


async def test_a_snapshot_is_never_older_than_what_the_reader_has_seen(match: Played) -> None:
    feed, source = MemoryFeed(), LogSource(match)
    streams = StreamHub(source, feed, NEVER)
    reader = Reader(streams.stream(match.id, None, None))
    await until(lambda: reader.version > 0)
    await match.step()
    second = streams.stream(match.id, None, match.match.version)
    assert (await anext(second)).version == match.match.version
    await second.aclose()
    await reader.stop()


async def test_a_stream_outlives_a_database_that_is_away(match: Played) -> None:
    class Away(LogSource):
        """A source that does not answer the first few times it is asked for frames."""

        left = 3

        async def frames(self, match_id: UUID, seat: Holder | int | None, after: int, limit: int) -> list[bytes]:
            if self.left:
                self.left -= 1
                raise Unavailable("away")
            return await super().frames(match_id, seat, after, limit)

    reader = Reader(StreamHub(Away(match), MemoryFeed(), QUICK).stream(match.id, None, 0))
    await until(lambda: reader.version == match.match.version and len(reader.items) > 1)
    assert reader.frames == await match.replay(None)
    await reader.stop()


async def test_spectators_go_on_while_the_bus_is_killed_wiped_and_back(store: MemoryStore, bus: Bus) -> None:
    match = Played(store, 1)
    await match.seat("Ada", "Bob")
    writing, reading = await bus.feed(), await bus.feed()
    tail = LogTail(store, writing)
    store.on_commit = tail.on_commit
    streams = StreamHub(LogSource(match), reading, WaitPolicy(quiet_s=1, away_s=0.05, late_s=0.02))
    readers = [Reader(streams.stream(match.id, seat, 0)) for seat in (None, None, 1, 2)]
    async with running(tail.run(), Relay(store, writing, tail, Vaulted([match])).run()):
        await until(lambda: all(reader.version for reader in readers))
        await match.deal()
        bus.kill()
        await match.step()
        await until(lambda: all(reader.version == match.match.version for reader in readers))
        bus.wipe()
        await bus.start()
        await match.finish()
        await asyncio.wait_for(asyncio.gather(*(reader.task for reader in readers)), 60)
    for reader, seat in zip(readers, (None, None, 1, 2), strict=True):
        assert reader.frames == await match.replay(seat)


# ---- storms -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [None, 2])
async def test_however_many_come_back_at_once_what_they_missed_is_made_once(match: Played, seat: int | None) -> None:
    await match.finish()
    source, whole = LogSource(match), await match.replay(seat)
    streams = StreamHub(source, MemoryFeed(), NEVER)
    missed = [len(whole) - 1 - number % 40 for number in range(200)]
    readers = [Reader(streams.stream(match.id, seat, after)) for after in missed]
    await asyncio.wait_for(asyncio.gather(*(reader.task for reader in readers)), 60)
    for reader, after in zip(readers, missed, strict=True):
        assert reader.frames == whole[after:]
    assert (source.views, source.pages) == (1, 1 + 3), "one look when the tape begins, and each page once"
    assert len({id(frame) for reader in readers for frame in reader.frames}) == 40


async def test_those_who_come_back_while_the_match_goes_on_are_shown_each_version_once(match: Played) -> None:
    feed, source = MemoryFeed(), LogSource(match)
    streams = StreamHub(source, feed, WaitPolicy(quiet_s=3_600, away_s=3_600, late_s=0.01))
    begun, readers = match.match.version, []
    for _ in range(4):
        readers += [Reader(streams.stream(match.id, None, begun)) for _ in range(50)]
        await match.step()
        await tell(feed, match, None, match.match.version)
    await until(lambda: all(reader.version == match.match.version for reader in readers))
    views, pages = source.views, source.pages
    whole = await match.replay(None)
    for reader in readers:
        assert reader.frames == whole[begun:]
        await reader.stop()
    assert views <= match.match.version - begun + 1
    assert pages < 30 < len(readers)


async def test_a_reader_who_has_seen_more_than_others_look_at_is_shown_what_there_is_now(match: Played) -> None:
    class Slow(LogSource):
        """A source whose first view is of what was there when it was asked for, and comes late."""

        async def view(self, match_id: UUID, seat: Holder | int | None) -> View:
            found = await super().view(match_id, seat)
            await late.wait()
            return found

    late = asyncio.Event()
    source = Slow(match)
    streams = StreamHub(source, MemoryFeed(), NEVER)
    early = Reader(streams.stream(match.id, None, None))
    await until(lambda: source.views == 1)
    await match.step()
    knows = Reader(streams.stream(match.id, None, match.match.version))
    late.set()
    await until(lambda: bool(knows.items and early.items))
    assert knows.items[0].version == match.match.version
    for reader in (early, knows):
        await reader.stop()


class SlowToHear(MemoryFeed):
    """A feed that begins to bring spectators' frames when it is let, and counts who listens for frames."""

    def __init__(self) -> None:
        super().__init__()
        self.let, self.ears = asyncio.Event(), 0

    async def listen(self, match: str, seat: int | None, heard: FrameHeard) -> Listening:
        if seat is None:
            await self.let.wait()
        self.ears += 1
        return Ear(self, await super().listen(match, seat, heard))


class Ear:
    """Somebody who listens to it."""

    def __init__(self, feed: SlowToHear, listening: Listening) -> None:
        self._feed, self._listening = feed, listening

    async def stop(self) -> None:
        self._feed.ears -= 1
        await self._listening.stop()


async def test_who_goes_away_while_listening_begins_leaves_nobody_listening(match: Played) -> None:
    feed = SlowToHear()
    streams = StreamHub(LogSource(match), feed, NEVER)
    gone = Reader(streams.stream(match.id, 1, None))
    await until(lambda: feed.ears == 1)
    stays = Reader(streams.stream(match.id, 1, 0))
    await match.step()
    await tell(feed, match, 1, match.match.version)
    await gone.stop()
    assert feed.ears == 0
    feed.let.set()
    await until(lambda: stays.version == match.match.version)
    await match.step()
    await tell(feed, match, 1, match.match.version)
    await until(lambda: stays.version == match.match.version)
    assert stays.frames == await match.replay(1)
    await stays.stop()
    assert (feed.ears, streams.buffers) == (0, 0)


async def test_a_reader_who_goes_away_takes_nothing_from_those_who_wait_for_the_same(match: Played) -> None:
    class Slow(LogSource):
        """A source that takes its time."""

        async def frames(self, match_id: UUID, seat: Holder | int | None, after: int, limit: int) -> list[bytes]:
            await asyncio.sleep(0.01)
            return await super().frames(match_id, seat, after, limit)

    streams = StreamHub(Slow(match), MemoryFeed(), NEVER)
    readers = [Reader(streams.stream(match.id, None, 0)) for _ in range(3)]
    await until(lambda: all(reader.items for reader in readers))
    await readers[0].stop()
    await until(lambda: all(len(reader.frames) == match.match.version for reader in readers[1:]))
    for reader in readers[1:]:
        assert reader.frames == await match.replay(None)
        await reader.stop()
