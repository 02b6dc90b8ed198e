"""Words that somebody is there, and gaps in which nobody was: in memory and in Postgres."""

from __future__ import annotations

from infra.store import BEAT_AHEAD_MAX_MS, GAPS_MAX, EventStore, WordsLeft


async def test_a_heartbeat_is_remembered(store: EventStore) -> None:
    assert await store.last_heartbeat() is None
    assert [await store.heartbeat(at) for at in (5, 7)] == [5, 7]
    assert await store.last_heartbeat() == 7


async def test_a_house_is_no_younger_than_the_oldest_of_its_clocks_says(store: EventStore) -> None:
    assert [await store.heartbeat(at) for at in (7, 5)] == [7, 7]
    assert await store.last_heartbeat() == 7


async def test_a_clock_that_was_a_day_ahead_is_forgotten(store: EventStore) -> None:
    wrong = BEAT_AHEAD_MAX_MS + 6
    assert [await store.heartbeat(at) for at in (wrong, 6)] == [wrong, wrong]
    assert await store.heartbeat(5) == 5


async def test_time_without_a_word_is_kept_once_and_to_the_latest_who_is_there_again(store: EventStore) -> None:
    assert await store.note_gap(5, 10) == WordsLeft(5, ())
    assert await store.last_heartbeat() == 5, "the first word of a house"
    assert await store.note_gap(15, 10) == WordsLeft(5, ())
    assert [(await store.note_gap(at, 10)).gaps for at in (40, 30, 60)] == [((5, 40),), ((5, 40),), ((5, 60),)]
    assert await store.last_heartbeat() == 5, "no word is left by it"
    await store.heartbeat(61)
    assert await store.note_gap(80, 10) == WordsLeft(61, ((5, 60), (61, 80)))
    assert await store.note_gap(3, 10) == WordsLeft(61, ((5, 60), (61, 80)))


async def test_of_many_gaps_the_last_are_kept(store: EventStore) -> None:
    await store.heartbeat(0)
    for at in range(100, 100 * GAPS_MAX + 300, 100):
        words = await store.note_gap(at, 10)
        await store.heartbeat(at)
    assert words.gaps == tuple((at, at + 100) for at in range(200, 100 * GAPS_MAX + 200, 100))
