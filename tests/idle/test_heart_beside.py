"""A process that takes commands beside one that gives time back, and word that is left: who leaves it, and when."""

from __future__ import annotations

import asyncio

from infra.clock import now_ms
from infra.store.memory import MemoryStore
from services.matches.heart import MISSED_MS, Heart


async def test_a_gap_is_one_to_all_who_find_it_and_nobody_leaves_word_by_finding_it() -> None:
    store = MemoryStore()
    last = now_ms() - 10 * MISSED_MS
    await store.heartbeat(last)
    hearts = [Heart(store) for _ in range(3)]
    found = [await heart.find_gap() for heart in hearts]
    assert {gap.last for gap in found if gap is not None} == {last}
    assert await store.last_heartbeat() == last
    words = await store.note_gap(now_ms(), MISSED_MS)
    assert [start for start, _ in words.gaps] == [last]
    await hearts[0].leave_word()
    assert await Heart(store).find_gap() is None


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
    assert await store.last_heartbeat() is not None
