"""The caster's stream: every frame once, every cup of glass, and nothing of a round before the next one opens."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from infra.feed.memory import MemoryFeed
from infra.store.memory import MemoryStore
from services.matches.reads.frame_buffer import WaitPolicy
from services.matches.reads.queries import MatchQueries, UnknownMatch
from services.matches.reads.shared import shared_reads
from services.matches.reads.streams import StreamHub
from services.matches.watching.casting import Item, cast
from services.relay.relay import Relay
from services.relay.tail import LogTail
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
