"""The caster's stream: every frame once, every cup of glass, and nothing of a round before the next one opens."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

import msgspec
import pytest

from infra.feed.memory import MemoryFeed
from infra.store.memory import MemoryStore
from services.matches.reads.frame_buffer import WaitPolicy
from services.matches.reads.queries import MatchQueries, UnknownMatch
from services.matches.reads.shared import shared_reads
from services.matches.reads.streams import StreamHub
from services.matches.watching.casting import Item, cast
from services.matches.watching.late_pages import LatePages
from services.matches.watching.named_pages import NamedPage
from services.relay.relay import Relay
from services.relay.tail import LogTail
from tests.reads.counting import CountingStore
from tests.relay.playing import LogSource, Played, Vaulted, match_id, running, until

NEVER = WaitPolicy(quiet_s=3_600, away_s=3_600, late_s=3_600)


@pytest.fixture
async def match(store: MemoryStore) -> Played:
    """Return a match of three at its first roll."""
    match = Played(store, 1)
    await match.seat("Ada", "Bob", "Cyd")
    await match.deal()
    return match


class Caster:
    """Reads a caster's stream to its end."""

    def __init__(self, match: Played, streams: StreamHub, after: int | None = None) -> None:
        # It is a program without a key that casts.
        library = MatchQueries(match.store, None, shared_reads(match.store))
        self._stream = cast(streams.stream(match.id, None, None), library, match.id, after)
        self.items: list[Item] = []
        self.task = asyncio.ensure_future(self._read())

    async def _read(self) -> None:
        async for item in self._stream:
            self.items.append(item)

    @property
    def frames(self) -> list[dict[str, Any]]:
        return [msgspec.json.decode(item.body) for item in self.items if item.kind == "frame"]


def faces(views: list[dict[str, Any]]) -> set[int | None]:
    """Return the faces of all dice that were hidden when it happened."""
    return {die["face"] for view in views for seat in view["seats"] for die in seat["dice"] if not die["shown"]}


async def test_a_caster_sees_each_round_through_all_cups_once_the_next_one_opens(
    match: Played, store: MemoryStore
) -> None:
    feed = MemoryFeed()
    caster = Caster(match, streams := StreamHub(LogSource(match), feed, NEVER))
    await until(lambda: bool(caster.items))
    snapshot = msgspec.json.decode(caster.items[0].body)["snapshot"]
    assert snapshot["round"] == 0, "the first round is in play"
    tail = LogTail(store, feed)
    store.on_commit = tail.on_commit
    async with running(tail.run(), Relay(store, feed, tail, Vaulted([match])).run()):
        opened = match.match.table.round_number if match.match.table is not None else 0
        while match.match.table is None or match.match.table.round_number == opened:
            await match.step()
        await until(lambda: bool(caster.frames))
        first = caster.frames
        assert {frame["view"]["round"] for frame in first} == {1}
        assert {1, 2, 3, 4, 5, 6} >= faces([frame["view"] for frame in first]) > set()
        await match.finish()
        await asyncio.wait_for(caster.task, 60)
    assert [frame["version"] for frame in caster.frames] == list(
        range(snapshot["version"] + 1, match.match.version + 1)
    )
    assert caster.frames[: len(first)] == first
    assert [item.kind for item in caster.items[-1:]] == ["ended"]
    assert streams.buffers == 0


async def test_a_caster_that_comes_back_goes_on_where_it_was(match: Played) -> None:
    await match.finish()
    for after in (None, 0, 7, match.match.version):
        caster = Caster(match, StreamHub(LogSource(match), MemoryFeed(), NEVER), after)
        await asyncio.wait_for(caster.task, 60)
        versions = [frame["version"] for frame in caster.frames]
        assert versions == list(range((match.match.version if after is None else after) + 1, match.match.version + 1))
        assert caster.items[0].version == caster.items[-1].version == match.match.version


async def test_what_is_cast_is_made_once_for_all_and_again_for_nobody_who_comes_back() -> None:
    match = Played(store := CountingStore(), 1)
    await match.seat("Ada", "Bob", "Cyd")
    await match.deal()
    await match.finish()
    library = MatchQueries(store, None, shared_reads(store))

    async def read(after: int) -> list[bytes]:
        streams = StreamHub(LogSource(match), MemoryFeed(), NEVER)
        stream = cast(streams.stream(match.id, None, None), library, match.id, after)
        return [item.body async for item in stream if item.kind == "frame"]

    casts = await asyncio.gather(*(read(after) for after in range(20)))
    assert all(cast == casts[0][after:] for after, cast in enumerate(casts))
    assert len({id(frame) for frames in casts for frame in frames}) == match.match.version, "each is made once"
    store.forget()
    assert await read(0) == casts[0]
    assert store.lines <= match.match.version, "those that the spectators' stream asks for"
    assert {id(frame) for frame in await read(0)} == {id(frame) for frame in casts[0]}


async def test_late_pages_have_a_bound_and_are_made_again() -> None:
    made: list[tuple[int, int]] = []

    async def makes(_match: UUID, after: int, upto: int, told: int) -> NamedPage:
        made.append((after, upto))
        return NamedPage([b"%d of %d" % (version + 1, told) for version in range(after, upto)], [], {})

    pages = LatePages(makes, MemoryStore().names, bytes_max=1_000)
    for told in (100, 200, 64):
        for after, limit in ((0, 64), (50, 64), (99, 1), (told, 64), (0, 1_000)):
            frames = await pages.frames(match_id(1), after, limit, told)
            assert frames == [b"%d of %d" % (n + 1, told) for n in range(after, min(after + limit, told))]
            assert pages.pages.kept.bytes <= 1_000
    assert len(made) > len(set(made))


async def test_for_a_reader_who_is_asked_to_leave_nothing_more_is_made(match: Played, store: MemoryStore) -> None:
    await match.finish()
    library = MatchQueries(store, None, shared_reads(store))
    over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    told = StreamHub(LogSource(match), MemoryFeed(), NEVER).stream(match.id, None, None, None, over)
    items: list[Item] = []
    async for item in cast(told, library, match.id, 0, over):
        items.append(item)
        if item.kind == "snapshot":
            over.set_result(None)
    assert [(item.kind, item.version) for item in items] == [("snapshot", match.match.version), ("bye", 0)]


async def test_of_a_lobby_a_caster_is_told_at_once(store: MemoryStore) -> None:
    match = Played(store, 2)
    await match.seat("Ada", "Bob")
    caster = Caster(match, StreamHub(LogSource(match), MemoryFeed(), NEVER))
    await until(lambda: bool(caster.items))
    assert caster.items[0].version == match.match.version
    caster.task.cancel()


async def test_nobody_casts_a_match_that_is_not_there(match: Played, store: MemoryStore) -> None:
    library = MatchQueries(store, None, shared_reads(store))
    streams = StreamHub(LogSource(match), MemoryFeed(), NEVER)
    with pytest.raises(UnknownMatch):
        await anext(cast(streams.stream(match_id(99), None, None), library, match_id(99), None))
    assert streams.buffers == 0
