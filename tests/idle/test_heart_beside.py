"""A process that takes commands beside one that gives time back: it learns when that is done, and leaves no word."""

from __future__ import annotations

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
