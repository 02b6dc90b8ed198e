"""Milestones: any version of a match is what its lines say, and costs what lies between it and the milestone before."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from domain.match.record import MatchAtHead, fold
from infra.store import Unavailable
from services.matches.reads.milestones import PAGE, SPACING, Milestones
from services.work.slices import Pace
from tests.reads.counting import CountingStore, long_match
from tests.relay.playing import Played


async def course(match: Played) -> list[MatchAtHead]:
    """Return the match after each of its lines, folded from the first."""
    return [written for written, _ in fold(await match.store.read(match.stream))]


@pytest.mark.parametrize("bounds", [{}, {"kept_max": 3}, {"of_one_max": 2}, {"kept_max": 1, "of_one_max": 1}])
async def test_any_version_is_what_the_lines_say_in_whatever_order_it_is_asked_for(
    long: Played, bounds: dict[str, Any]
) -> None:
    milestones, whole = Milestones(long.store, **bounds), await course(long)
    versions = random.Random(7).sample(range(1, len(whole) + 1), 60)
    for version in versions:
        assert await milestones.at(long.stream, version) == whole[version - 1]
        steps = await milestones.steps(long.stream, version - 1, 5)
        assert [written for written, _ in steps] == whole[version - 1 : version + 4]
    assert await milestones.at(long.stream, 0) is None
    assert await milestones.newest(long.stream) == whole[-1]


async def test_after_the_first_time_a_version_costs_no_more_than_the_way_from_the_last_milestone(
    long: Played, store: CountingStore
) -> None:
    milestones, end = Milestones(store), long.match.version
    assert end > PAGE + SPACING, "a match with a long way to go"
    await milestones.steps(long.stream, end - 1, 1)
    for version in range(1, end + 1):
        store.forget()
        await milestones.steps(long.stream, version - 1, 1)
        assert store.lines <= SPACING


async def test_many_who_come_at_once_have_a_match_folded_once(long: Played, store: CountingStore) -> None:
    milestones, end = Milestones(store), long.match.version
    asked = [milestones.at(long.stream, end - number) for number in range(100)]
    found = await asyncio.gather(*asked, *(milestones.newest(long.stream) for _ in range(100)))
    # Those who want a version go the way together, and so do those who want the last one.
    assert store.lines <= 2 * end + 100 * SPACING
    assert found[:100] == (await course(long))[::-1][:100]
    assert found[100:] == [found[0]] * 100


async def test_whoever_has_stored_something_reads_it_whatever_others_began_to_read() -> None:
    fresh = CountingStore()
    match = Played(fresh, 1)
    await match.seat("Ada", "Bob")
    milestones = Milestones(fresh)
    others = [asyncio.ensure_future(milestones.newest(match.stream)) for _ in range(3)]
    await asyncio.sleep(0)
    await match.deal()
    assert await milestones.newest(match.stream) == match.written
    await asyncio.gather(*others)


async def test_long_folds_let_everybody_else_have_a_turn(long: Played, store: CountingStore) -> None:
    milestones = Milestones(store, Pace(slice_s=0))
    passes = 0

    async def beside() -> None:
        nonlocal passes
        while True:
            await asyncio.sleep(0)
            passes += 1

    running = asyncio.ensure_future(beside())
    await milestones.at(long.stream, long.match.version)
    running.cancel()
    assert passes >= long.match.version - 4 * SPACING, "a pass between any two steps, but for the last and short stages"


async def test_works_under_way_at_the_same_time_take_turns() -> None:
    pace = Pace(slice_s=0)
    order: list[str] = []
    await asyncio.gather(*(pace.collect(map(order.append, [name] * 3)) for name in ("a", "b")))
    assert order == ["a", "b", "a", "b", "a", "b"]


async def test_no_more_milestones_are_kept_than_the_bound_says() -> None:
    store = CountingStore()
    matches = [await long_match(store, number) for number in (1, 2, 3)]
    milestones = Milestones(store, kept_max=40, of_one_max=15)
    for match in matches:
        await milestones.at(match.stream, match.match.version)
    kept = [len(row) for row in milestones._rows.values()]  # noqa: SLF001 - what is asked is how much it keeps
    assert milestones._kept == sum(kept) <= 40  # noqa: SLF001
    assert all(8 <= one <= 15 for one in kept[-2:]), kept
    short = Played(store, 9)
    await short.seat("Ada")
    await milestones.newest(short.stream)
    assert short.stream not in milestones._rows, "a short match has none"  # noqa: SLF001


async def test_a_store_that_is_away_is_away_for_all_at_once(long: Played, store: CountingStore) -> None:
    milestones = Milestones(store)
    store.away = True
    asked = [milestones.at(long.stream, 300) for _ in range(50)]
    assert all(isinstance(one, Unavailable) for one in await asyncio.gather(*asked, return_exceptions=True))
    assert store.queries == 1, "nobody waits for it after the others"
    store.away = False
    assert (await milestones.at(long.stream, 300) or long.written).match.version == 300


async def test_whoever_goes_away_takes_nothing_from_the_others(long: Played, store: CountingStore) -> None:
    milestones = Milestones(store, Pace(slice_s=0))
    impatient = asyncio.ensure_future(milestones.at(long.stream, 200))
    patient = asyncio.ensure_future(milestones.at(long.stream, 200))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    impatient.cancel()
    assert (await patient or long.written).match.version == 200
    assert store.lines == 200
