"""The tail of the log: no line twice from the database, none left out, whoever stored it and however late one comes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infra.feed.memory import MemoryFeed
from infra.store import SHARDS, Recorded, Unavailable
from infra.store.memory import MemoryStore
from services.relay import tail as tails
from services.relay.tail import LogTail
from tests.relay.playing import running, until
from tests.sizes import cases

SHARD = 2


class Counting(MemoryStore):
    """A store that counts what it is asked for, or does not answer."""

    def __init__(self, lines: Sequence[Recorded] = ()) -> None:
        super().__init__()
        self.lines = list(lines)
        self.asked = 0
        self.away = False

    async def follow(self, shard: int, after: int, limit: int) -> list[Recorded]:
        self.asked += 1
        if self.away:
            raise Unavailable("away")
        return [line for line in self.lines if line.position > after][:limit] if shard == SHARD else []

    async def positions(self) -> dict[int, int]:
        if self.away:
            raise Unavailable("away")
        return {SHARD: len(self.lines)}


def recorded(first: int, last: int) -> list[Recorded]:
    return [Recorded(position, f"match/{position % 3}", position // 3, b"line") for position in range(first, last + 1)]


async def test_what_this_program_stores_is_not_read_back() -> None:
    store = Counting(recorded(1, 4))
    tail = LogTail(store, MemoryFeed())
    assert await tail.positions() == {SHARD: 4}
    for first in (5, 7):
        more = recorded(first, first + 1)
        store.lines += more
        tail.on_commit(SHARD, more)
    assert await tail.follow(SHARD, 4, 100) == recorded(5, 8)
    assert await tail.follow(SHARD, 6, 1) == recorded(7, 7)
    assert list(await tail.follow(SHARD, 8, 100)) == []
    assert store.asked == 0
    assert await tail.follow(SHARD, 2, 100) == recorded(3, 8), "before what it knows, the log is read"
    assert store.asked == 1


async def test_a_gap_is_read_once_for_all_works() -> None:
    store = Counting()
    tail = LogTail(store, MemoryFeed())
    tail.on_commit(SHARD, recorded(1, 2))
    store.lines = recorded(1, 6)
    tail.on_commit(SHARD, recorded(5, 6))  # three and four are another program's
    assert await tail.follow(SHARD, 0, 100) == recorded(1, 2)
    assert await tail.follow(SHARD, 2, 1) == recorded(3, 3)
    assert await tail.follow(SHARD, 2, 100) == recorded(3, 6)
    assert store.asked == 1


async def test_a_program_that_stores_nothing_reads_each_line_once() -> None:
    store = Counting(recorded(1, 3))
    tail = LogTail(store, MemoryFeed())
    works = [0, 0, 0]
    for end in (3, 9, 10):
        store.lines = recorded(1, end)
        await tail._look_once()  # noqa: SLF001 - what its run does a few times a second
        for number, position in enumerate(works):
            assert await tail.follow(SHARD, position, 100) == recorded(position + 1, end)
            works[number] = end
    assert store.asked == 3


async def test_a_database_that_is_away_is_asked_for_nothing_that_is_known() -> None:
    store = Counting()
    tail = LogTail(store, MemoryFeed())
    tail.on_commit(SHARD, recorded(1, 2))
    store.away = True
    assert await tail.follow(SHARD, 0, 100) == recorded(1, 2)
    with pytest.raises(Unavailable):
        await tail.follow(SHARD, 2, 100)
    with pytest.raises(Unavailable):
        await tail.positions()


@given(
    commits=st.lists(st.tuples(st.booleans(), st.integers(1, 5)), max_size=30),
    reads=st.lists(st.tuples(st.integers(0, 29), st.integers(0, 2), st.integers(1, 7)), max_size=40),
)
@settings(max_examples=cases(60, 1_000), deadline=None)
async def test_any_work_gets_every_line_once_in_order(
    commits: list[tuple[bool, int]], reads: list[tuple[int, int, int]]
) -> None:
    store = Counting()
    tail = LogTail(store, MemoryFeed())
    works = [0, 0, 0]
    for number, (ours, count) in enumerate(commits):
        more = recorded(len(store.lines) + 1, len(store.lines) + count)
        store.lines += more
        if ours:
            tail.on_commit(SHARD, more)
        for when, who, limit in reads:
            if when == number:
                found = await tail.follow(SHARD, works[who], limit)
                assert found == recorded(works[who] + 1, works[who] + len(found))
                works[who] += len(found)
    await tail._look_once()  # noqa: SLF001 - as above
    for position in works:
        while position < len(store.lines):
            found = await tail.follow(SHARD, position, 100)
            assert found == recorded(position + 1, position + len(found))
            position += len(found)  # noqa: PLW2901 - on to the end


async def test_commits_gather_where_nobody_waits_for_the_word_of_them() -> None:
    feed, heard = MemoryFeed(), list[tuple[int, int]]()
    await feed.pokes(lambda shard, position: heard.append((shard, position)))
    tail = LogTail(MemoryStore(), feed, tell_s=0.5)
    async with running(tail.run()):
        for position in range(1, 9):
            tail.on_commit(SHARD, recorded(position, position))
            await asyncio.sleep(0)
        await until(lambda: bool(heard))
        assert heard == [(SHARD, 8)]


@pytest.mark.parametrize(("shard", "position"), [(SHARD, 10**30), (SHARD, 5), (SHARDS, 5), (10**30, 1), (-1, 1)])
async def test_a_poke_that_is_not_so_is_believed_until_the_log_is_asked(shard: int, position: int) -> None:
    store, feed = Counting(recorded(1, 4)), MemoryFeed()
    tail = LogTail(store, feed)
    bell = tail.bell()
    async with running(tail.run()):
        await until(lambda: tail.highest_position(SHARD) == 4)
        await feed.poke(shard, position)
        await until(lambda: tail.highest_position(SHARD) == 4)
        assert await tail.positions() == {SHARD: 4}
        store.lines += recorded(5, 5)
        await feed.poke(SHARD, 5)
        await bell.wait(60)
        assert await tail.follow(SHARD, 4, 9) == recorded(5, 5)


async def test_memory_is_bounded_by_lines_and_by_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tails, "KEPT_MAX", 8)
    store = Counting(recorded(1, 100))
    tail = LogTail(store, MemoryFeed())
    for position in range(1, 101):
        tail.on_commit(SHARD, recorded(position, position))
    for after in range(100):
        asked = store.asked
        assert await tail.follow(SHARD, after, 3) == recorded(after + 1, min(after + 3, 100))
        if after not in range(92, 94):
            assert store.asked == asked + (after < 92), "six to eight are kept"
    tail.on_commit(SHARD, [Recorded(101, "match/1", 40, b"x" * tails.BYTES_MAX), *recorded(102, 102)])
    assert await tail.follow(SHARD, 101, 9) == recorded(102, 102)
