"""Quick phrases on streams: between frames, for who wants to hear them, and for nobody who comes later."""

from __future__ import annotations

import asyncio

import msgspec

from infra.feed.memory import MemoryFeed
from services.matches.reads.frame_buffer import SAYINGS_MAX
from services.matches.reads.streams import StreamHub
from tests.relay.playing import LogSource, Played, Reader, until
from tests.relay.test_streams import NEVER, match, tell

__all__ = ["match"]


async def test_what_seats_say_is_told_between_frames_to_who_wants_to_hear_it(match: Played) -> None:
    feed = MemoryFeed()
    streams = StreamHub(LogSource(match), feed, NEVER)
    wanting = [Reader(streams.stream(match.id, seat, None, phrases=True)) for seat in (None, 2)]
    deaf = Reader(streams.stream(match.id, None, None))
    await until(lambda: all(reader.version > 0 for reader in (*wanting, deaf)))
    begun = match.match.version
    await streams.say(match.id, b'{"phrase":"hello","seat":1}')
    await until(lambda: all(reader.said for reader in wanting))
    await match.step()
    await tell(feed, match, None, begun + 1)
    await tell(feed, match, 2, begun + 1)
    await until(lambda: all(reader.frames for reader in (*wanting, deaf)))
    assert [reader.said for reader in wanting] == [[(begun, b'{"phrase":"hello","seat":1}')]] * 2
    assert deaf.said == []
    for reader in (*wanting, deaf):
        assert [(item.kind, item.version) for item in reader.items] == [("snapshot", begun), ("frame", begun + 1)]
        await reader.stop()


async def test_who_comes_later_is_not_told_what_was_said_and_a_slow_reader_only_the_last_of_it(match: Played) -> None:
    streams = StreamHub(LogSource(match), MemoryFeed(), NEVER)
    slow = streams.stream(match.id, None, None, phrases=True)
    await anext(slow)
    waiting = asyncio.ensure_future(anext(slow))
    await asyncio.sleep(0)
    for number in range(2 * SAYINGS_MAX):
        await streams.say(match.id, b'{"phrase":"hello","seat":%d}' % number)
    late = streams.stream(match.id, None, None, phrases=True)
    await anext(late)
    hearing = asyncio.ensure_future(anext(late))
    told = [await waiting] + [await anext(slow) for _ in range(SAYINGS_MAX - 1)]
    assert [msgspec.json.decode(item.body)["seat"] for item in told] == list(range(SAYINGS_MAX, 2 * SAYINGS_MAX))
    assert not hearing.done()
    await streams.say(match.id, b'{"phrase":"wow","seat":1}')
    assert (await hearing).body == (await anext(slow)).body == b'{"phrase":"wow","seat":1}'
    for stream in (slow, late):
        await stream.aclose()
