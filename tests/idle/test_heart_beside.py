"""A process that takes commands beside one that gives time back, and word that is left: who leaves it, and when."""

from __future__ import annotations

import asyncio

from infra.clock import now_ms
from infra.store import MISSED_MS, WordsLeft
from infra.store.memory import MemoryStore
from services.matches.heart import Heart


async def turns() -> None:
    """Let everything run that is ready."""
    for _ in range(10):
        await asyncio.sleep(0)


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


async def test_a_gap_of_its_own_is_known_until_a_dealer_is_there() -> None:
    store = MemoryStore()
    last = now_ms() - 10 * MISSED_MS
    await store.heartbeat(last)
    beside = Heart(store, keeps=False)
    await beside.find_gap()
    await beside.hear_word()
    assert beside.lost_ms(last) > 9 * MISSED_MS, "no dealer is there yet"


async def test_an_answer_that_comes_after_that_of_a_beginning_is_not_heard() -> None:
    class Late(MemoryStore):
        answers: asyncio.Event | None = None

        async def heartbeat(self, at: int, since: int = 0) -> WordsLeft:
            words = await super().heartbeat(at, since)
            if since == 0 and self.answers is not None:
                await self.answers.wait()
            return words

    store = Late()
    heart = Heart(store)
    await heart.find_gap()
    store.answers = asyncio.Event()
    before = now_ms()
    asked = asyncio.create_task(heart.leave_word())
    await turns()
    heart.hear_time(before + 10 * MISSED_MS)
    assert await heart.find_gap() is not None
    store.answers.set()
    await asked
    assert heart.lost_ms(before) > 9 * MISSED_MS


async def test_whoever_begins_leaves_word_at_once_so_that_an_early_death_is_missed() -> None:
    store = MemoryStore()
    first = Heart(store)
    running = asyncio.create_task(first.run())
    await turns()
    assert await first.find_gap() is None
    await turns()
    running.cancel()
    assert await store.last_words() is not None
