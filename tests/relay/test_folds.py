"""Folds of matches that the relay keeps, and the tail that wakes whoever follows the log."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

from infra.feed.memory import MemoryFeed
from infra.store import SHARDS, Recorded
from infra.store.memory import MemoryStore
from services.matches.reads.milestones import Milestones
from services.matches.reads.recent import RecentSteps
from services.relay.tail import LogTail
from tests.relay.conftest import Bus
from tests.relay.playing import Played, eventually, running, until


async def test_a_match_out_of_memory_is_read_again(store: MemoryStore) -> None:
    matches = [Played(store, number) for number in (1, 2, 3)]
    for match in matches:
        await match.seat("Ada", "Bob")
    milestones = Milestones(store)
    milestones.recent = RecentSteps(steps_max=2, matches_max=2)
    rows = [row for shard in range(SHARDS) for row in await store.follow(shard, 0, 1_000)]
    for row in sorted(rows, key=lambda row: row.seq):
        written, _ = await milestones.after(row)
        assert (str(written.match.id), written.match.version) == (row.stream[6:], row.seq + 1)


async def test_a_line_seen_before_gives_the_same_match_again(store: MemoryStore) -> None:
    match = Played(store, 1)
    await match.seat("Ada", "Bob")
    rows = await store.follow(match.shard, 0, 1_000)
    milestones = Milestones(store)
    first = [await milestones.after(row) for row in rows]
    assert [await milestones.after(row) for row in rows] == first
    assert [await Milestones(store).after(row) for row in rows] == first


async def test_a_bell_rung_before_anybody_sleeps_wakes_the_next_at_once(store: MemoryStore) -> None:
    tail = LogTail(store, MemoryFeed())
    mine, every, other = tail.bell(1), tail.bell(), tail.bell(2)
    tail.on_commit(1, [Recorded(5, "match/x", 0, b"")])
    assert await _wakes(mine.wait(9))
    assert await _wakes(every.wait(9))
    assert not await _wakes(other.wait(9))
    tail.on_commit(1, [Recorded(5, "match/x", 0, b"")])
    assert not await _wakes(mine.wait(9)), "nothing new was said"
    await mine.wait(0.001)
    assert (tail.highest_position(1), tail.highest_position(2)) == (5, 0)


async def _wakes(waiting: Awaitable[None]) -> bool:
    done, _ = await asyncio.wait([asyncio.ensure_future(waiting)], timeout=0.05)
    return bool(done)


async def test_a_commit_of_another_process_rings_by_poke_or_by_looking(store: MemoryStore, bus: Bus) -> None:
    near, far = LogTail(store, await bus.feed()), LogTail(MemoryStore(), await bus.feed())
    lonely = LogTail(store, MemoryFeed())
    async with running(near.run(), far.run(), lonely.run()):

        async def has_reached() -> bool:
            near.on_commit(
                3, [Recorded(77, "match/x", 0, b"")]
            )  # once more, until the bus knows that the other listens
            return far.highest_position(3) == 77

        await eventually(has_reached)
        match = Played(store, 1)
        await match.open()
        await until(lambda: lonely.highest_position(match.shard) == 1)
