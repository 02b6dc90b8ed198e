"""The line of turns that bots think over beside the play: who comes first, who gives way, who never waits for ever."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from prometheus_client import CollectorRegistry

from domain import commands
from services.bots.ahead import Pondered
from services.bots.thinkers import LINE_MAX, TOLD_BY, Thinkers
from services.engines.levels import Thought
from tests.bots.test_moments import Clock
from tests.bots.test_thinkers import NEVER_MS, Paced, asked_of, patched, told


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return patched(Clock(), monkeypatch)


async def test_what_is_due_first_is_thought_over_first_and_nothing_that_is_overdue(clock: Clock) -> None:
    worker = Paced(clock, *[10] * 3)
    line = Thinkers([worker])
    for number, after_ms in enumerate((500, 900, 5, 600, 700)):
        line.ask(clock.now + after_ms, 1, asked_of(number))
    line.ask(clock.now + 400, 2, asked_of(1))
    line.drop(UUID(int=3), unless=2)
    for _ in range(10):
        await asyncio.sleep(0)
    assert line.is_under_way(UUID(int=1), 2)
    assert not line.is_under_way(UUID(int=1), 1)
    while len(worker.asked) < 3:
        clock.now += 10
        await asyncio.sleep(0)
    assert [each.match.int for each in worker.asked] == [2, 1, 0]
    line.close()


class Doubting(Paced):
    """A process that thinks nothing but that others lie."""

    async def do(self, work: Callable[[Any], Any], given: Any) -> Any:
        await super().do(work, given)
        return Pondered(Thought(commands.Challenge(given.seen.seat), "L2"), 0)


async def test_of_more_turns_than_can_be_thought_over_half_as_many_as_can_be_are_in_time(clock: Clock) -> None:
    tables, takes_ms, within_ms, every_ms = 40, 250, 400, 100
    line = Thinkers([Doubting(clock, *[takes_ms] * tables)])
    due: dict[int, int] = {}
    found = []
    for at in range(0, tables * every_ms + within_ms, 10):
        if at % every_ms == 0 and len(due) < tables:
            match = UUID(int=len(due))
            due[match.int] = at + within_ms
            line.ask(clock.now + within_ms, 1, asked_of(match.int))
        found += [line.answer(UUID(int=number), 1) for number, due_at in due.items() if due_at == at]
        clock.now += 10
        for _ in range(4):
            await asyncio.sleep(0)
    assert len(found) == tables
    assert sum(thought is not None for thought in found) >= 0.5 * tables * every_ms / takes_ms
    line.close()


async def test_of_a_full_line_who_is_due_last_gives_way_and_that_is_counted(clock: Clock) -> None:
    registry = CollectorRegistry()
    line = Thinkers([Paced(clock, NEVER_MS)], registry=registry)
    line.ask(clock.now + 1, 1, asked_of(0))
    await asyncio.sleep(0)
    for number in range(1, LINE_MAX + 3):
        line.ask(clock.now + 10_000 - number, 1, asked_of(number))
    assert [number for number in range(LINE_MAX + 3) if not line.is_under_way(UUID(int=number), 1)] == [1, 2]
    assert told(registry) == {"full": 2}
    line.close()


async def test_how_many_thoughts_came_in_time_is_told_of_a_hundred_turns_and_of_none_alone(clock: Clock) -> None:
    registry, match = CollectorRegistry(), UUID(int=1)
    line = Thinkers([Paced(clock, *[NEVER_MS] * TOLD_BY)], registry=registry)
    for version in range(TOLD_BY):
        assert told(registry) == {}
        line.ask(clock.now + 100, version, asked_of(1))
        assert line.answer(match, version) is line.answer(match, version) is None
    assert told(registry) == {"late": TOLD_BY}
    line.close()


async def test_tables_in_a_hurry_keep_no_other_table_from_being_thought_over(clock: Clock) -> None:
    takes_ms, rounds, asked_ms = 100, 40, 1_000
    line = Thinkers([Doubting(clock, *[takes_ms] * 2 * rounds * asked_ms)])
    slow, came = UUID(int=0), 0
    for at in range(0, rounds * asked_ms, 10):
        if at % 300 == 0:
            for number in range(1, 11):
                line.ask(clock.now + 250, at, asked_of(number))
        if at % asked_ms == 0:
            line.ask(clock.now + 800, at, asked_of(0))
        if at % asked_ms == 800:
            came += line.answer(slow, at - 800) is not None
        clock.now += 10
        for _ in range(4):
            await asyncio.sleep(0)
    assert came >= rounds // 2
    line.close()


async def test_of_tables_that_keep_the_same_pace_none_is_passed_over_again_and_again(clock: Clock) -> None:
    tables, pause_ms, takes_ms, rounds = 16, 200, 30, 30
    drawn, line = random.Random(1), Thinkers([Doubting(clock, *[takes_ms] * rounds * tables)])
    begins = {number: drawn.randrange(pause_ms) for number in range(tables)}
    asks = {number: begins[number] + pause_ms // 8 for number in range(tables)}
    came = Counter[int]()
    for at in range(0, rounds * pause_ms, 5):
        for number, begun in begins.items():
            if at - begun >= pause_ms:
                came[number] += line.answer(UUID(int=number), begun) is not None
                begins[number], asks[number] = at, at + drawn.randrange(pause_ms // 8, pause_ms // 2)
            if begun <= asks[number] <= at:
                line.ask(clock.now - at + begun + pause_ms, begun, asked_of(number))
                asks[number] = -1
        clock.now += 5
        for _ in range(4):
            await asyncio.sleep(0)
    assert min(came[number] for number in range(tables)) > 0.5 * came.total() / tables
    line.close()
