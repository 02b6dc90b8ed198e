"""Words that somebody is there, and gaps in which nobody was: in memory and in Postgres."""

from __future__ import annotations

from random import Random

from infra.store import BEAT_AHEAD_MAX_MS, GAPS_MAX, MISSED_MS, SHORT_MS, EventStore, WordsLeft
from infra.store.memory import MemoryStore
from infra.store.postgres import PostgresStore

LONG_MS = 2 * SHORT_MS
"""Longer than may be missed, and than a stay that counts for nothing."""


async def test_a_word_is_remembered(store: EventStore) -> None:
    assert await store.last_words() is None
    assert [await store.heartbeat(at) for at in (5, 7)] == [WordsLeft(5, ()), WordsLeft(7, ())]
    assert await store.last_words() == WordsLeft(7, ())


async def test_a_house_is_no_younger_than_the_oldest_of_its_clocks_says(store: EventStore) -> None:
    assert [(await store.heartbeat(at)).last for at in (7, 5)] == [7, 7]
    assert await store.last_words() == WordsLeft(7, ())


async def test_a_clock_that_was_a_day_ahead_is_forgotten_with_its_gap(store: EventStore) -> None:
    wrong = BEAT_AHEAD_MAX_MS + 3 * LONG_MS
    await store.heartbeat(0)
    await store.heartbeat(LONG_MS, LONG_MS)
    await store.heartbeat(2 * LONG_MS)
    assert (await store.heartbeat(wrong, wrong)).gaps == ((0, LONG_MS), (2 * LONG_MS, wrong))
    assert await store.heartbeat(3 * LONG_MS) == WordsLeft(wrong, ((0, LONG_MS), (2 * LONG_MS, wrong)))
    assert await store.heartbeat(3 * LONG_MS - 1) == WordsLeft(3 * LONG_MS - 1, ((0, LONG_MS),))


async def test_a_gap_of_a_clock_that_was_a_day_ahead_ends_where_somebody_was_there(store: EventStore) -> None:
    wrong, right = BEAT_AHEAD_MAX_MS + 9 * LONG_MS, 2 * LONG_MS
    await store.heartbeat(LONG_MS)
    await store.heartbeat(wrong, wrong)
    assert await store.heartbeat(right, right) == WordsLeft(right, ((LONG_MS, right),))


async def test_a_clock_that_was_a_day_behind_takes_no_gap_away(store: EventStore) -> None:
    now = BEAT_AHEAD_MAX_MS + 9 * LONG_MS
    await store.heartbeat(now)
    gap = (now, now + LONG_MS)
    assert (await store.heartbeat(now + LONG_MS, now + LONG_MS)).gaps == (gap,)
    assert await store.heartbeat(1, 1) == WordsLeft(1, (gap,))
    assert await store.heartbeat(now + LONG_MS + 1) == WordsLeft(now + LONG_MS + 1, (gap,)), "a beat makes no gap"


async def test_time_between_two_words_is_kept_where_whoever_leaves_one_was_not_there(store: EventStore) -> None:
    await store.heartbeat(10)
    assert await store.heartbeat(10 + LONG_MS) == WordsLeft(10 + LONG_MS, ()), "he was, and the store is slow"
    began = 10 + LONG_MS + MISSED_MS
    assert await store.heartbeat(began, began) == WordsLeft(began, ()), "nobody misses anybody so soon"
    again = began + MISSED_MS + 1
    assert await store.heartbeat(again + 5, again) == WordsLeft(again + 5, ((began, again),))
    assert await store.heartbeat(again + 5, again) == WordsLeft(again + 5, ((began, again),)), "once"
    assert await store.heartbeat(again - 1, again - 1) == WordsLeft(again + 5, ((began, again),))
    assert await store.last_words() == WordsLeft(again + 5, ((began, again),))


async def test_a_stay_that_is_short_parts_no_gap_in_two(store: EventStore) -> None:
    await store.heartbeat(0)
    await store.heartbeat(LONG_MS, LONG_MS)
    await store.heartbeat(LONG_MS + SHORT_MS)
    assert (await store.heartbeat(3 * LONG_MS, 3 * LONG_MS)).gaps == ((0, 3 * LONG_MS),)
    stayed = 3 * LONG_MS + SHORT_MS + 1
    await store.heartbeat(stayed)
    assert (await store.heartbeat(5 * LONG_MS, 5 * LONG_MS)).gaps == ((0, 3 * LONG_MS), (stayed, 5 * LONG_MS))


async def test_of_many_gaps_the_last_are_kept(store: EventStore) -> None:
    await store.heartbeat(0)
    for at in range(2 * LONG_MS, 2 * LONG_MS * (GAPS_MAX + 3), 2 * LONG_MS):
        words = await store.heartbeat(at, at)
        await store.heartbeat(at + LONG_MS)
    assert len(words.gaps) == GAPS_MAX
    assert words.gaps == tuple(
        (at - LONG_MS, at) for at in range(6 * LONG_MS, 2 * LONG_MS * (GAPS_MAX + 3), 2 * LONG_MS)
    )


async def test_memory_says_of_any_words_what_postgres_says(postgres: PostgresStore) -> None:
    memory, drawn, at = MemoryStore(), Random(28), 10 * BEAT_AHEAD_MAX_MS
    steps = (1, MISSED_MS, MISSED_MS + 1, SHORT_MS, SHORT_MS + 1, LONG_MS, BEAT_AHEAD_MAX_MS, 2 * BEAT_AHEAD_MAX_MS)
    for _ in range(400):
        at += drawn.choice(steps[:6])
        said = at + drawn.choice((0, 0, 0, 0, -1, 1)) * drawn.choice(steps)
        since = drawn.choice((0, said, said - drawn.choice(steps[:6])))
        assert await memory.heartbeat(said, since) == await postgres.heartbeat(said, since), (said, since)
        assert await memory.last_words() == await postgres.last_words()
