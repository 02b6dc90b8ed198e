"""A process that takes commands beside one that gives time back, and word that is left: who leaves it, and when."""

from __future__ import annotations

import asyncio

from infra.clock import now_ms
from infra.store import MISSED_MS, WordsLeft
from infra.store.memory import MemoryStore
from services.matches.heart import STALLED_MS, Heart


async def test_whoever_only_takes_commands_keeps_a_gap_to_itself_until_it_hears_of_a_dealer() -> None:
    store = MemoryStore()
    last = now_ms() - 10 * MISSED_MS
    await store.heartbeat(last)
    beside = Heart(store, keeps=False)
    gap = await beside.find_gap()
    assert gap is not None
    assert gap.last == last
    assert beside.lost_ms(last) == gap.ms
    assert await store.last_words() == WordsLeft(last, ())
    dealer = Heart(store)
    assert await dealer.find_gap() is not None
    await beside.hear_word()
    assert not beside.has_missed()
    assert beside.lost_ms(last) == dealer.lost_ms(last)


async def test_a_gap_is_one_to_all_who_find_it() -> None:
    store = MemoryStore()
    last = now_ms() - 10 * MISSED_MS
    await store.heartbeat(last)
    first, second = Heart(store), Heart(store)
    gap = await first.find_gap()
    assert gap is not None
    while now_ms() <= gap.end:
        pass
    assert await second.find_gap() is None
    assert second.lost_ms(last) == first.lost_ms(last) > 9 * MISSED_MS


async def test_whoever_only_takes_commands_knows_when_no_dealer_is_there() -> None:
    store = MemoryStore()
    beside = Heart(store, keeps=False)
    assert await beside.find_gap() is None, "a new house"
    await store.heartbeat(now_ms() - STALLED_MS // 2)
    await beside.hear_word()
    assert not beside.has_missed()
    store._heartbeat = now_ms() - STALLED_MS - 1  # noqa: SLF001 - no time goes by here
    await beside.hear_word()
    assert beside.has_missed()


async def turns() -> None:
    """Let everything run that is ready."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_whoever_begins_leaves_word_at_once_so_that_an_early_death_is_missed() -> None:
    store = MemoryStore()
    first = Heart(store)
    running = asyncio.create_task(first.run())
    await turns()
    assert await first.find_gap() is None
    await turns()
    running.cancel()
    assert await store.last_words() is not None
