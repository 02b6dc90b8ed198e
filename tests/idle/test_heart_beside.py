"""A process that takes commands beside one that gives time back, and word that is left: who leaves it, and when."""

from __future__ import annotations

import asyncio

from infra.clock import now_ms
from infra.store.memory import MemoryStore
from services.matches.heart import MISSED_MS, Heart


async def test_a_gap_is_over_here_once_whoever_gives_it_back_leaves_word_again() -> None:
    store = MemoryStore()
    last = now_ms() - 10 * MISSED_MS
    await store.heartbeat(last)
    keeping, beside = Heart(store), Heart(store)
    assert await keeping.find_gap() is not None
    gap = await beside.find_gap()
    assert gap is not None
    await keeping.leave_word()
    await beside.hear_word()
    assert beside.gap == gap
    assert await store.last_heartbeat() == last
    keeping.note_given_back(keeping.beginnings)
    while now_ms() <= gap.end:
        pass
    await keeping.leave_word()
    await beside.hear_word()
    assert beside.gap is None


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
