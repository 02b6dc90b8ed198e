"""Many at once: all who wait for one thing are woken, all who come begin, some at a time, and nobody is forgotten."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from services.work.limits import StepLimit
from services.work.wakeups import AT_ONCE, Arrivals, Broadcast
from tests.simulation.loop import in_made_up_time


async def waiting(bell: Broadcast, count: int, over: asyncio.Future[None] | None = None) -> list[asyncio.Task[bool]]:
    """Return so many who wait."""
    tasks = [asyncio.create_task(bell.wait(over)) for _ in range(count)]
    while len(bell) < count:
        await asyncio.sleep(0)
    return tasks


async def test_all_who_wait_are_woken_and_others_have_their_turn_in_between():
    bell, passes, most = Broadcast(), 0, 0
    tasks = await waiting(bell, 10 * AT_ONCE)
    bell.ring()
    while not all(task.done() for task in tasks):
        before = sum(task.done() for task in tasks)
        await asyncio.sleep(0)
        passes, most = passes + 1, max(most, sum(task.done() for task in tasks) - before)
    assert passes >= 10
    assert most <= 2 * AT_ONCE
    assert len(bell) == 0


async def test_a_ring_wakes_nobody_who_comes_later():
    bell = Broadcast()
    bell.ring()
    (task,) = await waiting(bell, 1)
    await asyncio.sleep(0.01)
    assert not task.done()
    bell.ring()
    await task


async def test_who_stops_waiting_is_forgotten_before_and_after_the_ring():
    bell = Broadcast()
    tasks = await waiting(bell, 3 * AT_ONCE)
    for task in tasks[:AT_ONCE]:
        task.cancel()
    await asyncio.gather(*tasks[:AT_ONCE], return_exceptions=True)
    assert len(bell) == 2 * AT_ONCE
    bell.ring()
    tasks[-1].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert sum(task.cancelled() for task in tasks) == AT_ONCE + 1


async def test_who_is_asked_to_leave_goes_alone():
    bell, over = Broadcast(), asyncio.get_running_loop().create_future()
    stays, goes = (await waiting(bell, 1))[0], asyncio.create_task(bell.wait(over))
    await asyncio.sleep(0)
    over.set_result(None)
    await goes
    assert not stays.done()
    await bell.wait(over)  # over already: not for a moment
    bell.ring()
    await stays


async def begun(arrivals: Arrivals, order: list[int], which: int) -> None:
    await arrivals.turn()
    order.append(which)


async def test_of_those_who_come_together_some_begin_in_each_pass_in_the_order_in_which_they_came():
    arrivals, order = Arrivals(3), list[int]()
    tasks = [asyncio.create_task(begun(arrivals, order, which)) for which in range(30)]
    steps = [0]
    while len(order) < len(tasks):
        await asyncio.sleep(0)
        steps.append(len(order))
    assert order == list(range(30))
    assert max(after - before for before, after in pairwise(steps)) <= 3


async def test_who_comes_alone_begins_at_once():
    arrivals, order = Arrivals(1), list[int]()
    for which in range(5):
        coming = begun(arrivals, order, which)
        with pytest.raises(StopIteration):
            coming.send(None)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    assert order == list(range(5))


async def test_who_goes_before_the_turn_comes_keeps_nobody_waiting():
    arrivals, order = Arrivals(1), list[int]()
    tasks = [asyncio.create_task(begun(arrivals, order, which)) for which in range(10)]
    await asyncio.sleep(0)
    for task in tasks[1:9]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert order == [0, 9]
    await arrivals.turn()


async def test_whoever_waits_for_so_long_at_most_is_told_that_nothing_rang() -> None:
    bell = Broadcast()
    over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    assert not await bell.wait(at_most_s=0.001)
    waiting = [asyncio.ensure_future(bell.wait(over, at_most_s=60)) for _ in range(2)]
    await asyncio.sleep(0)
    bell.ring()
    assert await asyncio.gather(*waiting) == [True, True]
    waiting = [asyncio.ensure_future(bell.wait(over, at_most_s=60))]
    await asyncio.sleep(0)
    over.set_result(None)
    assert await asyncio.gather(*waiting) == [False]
    assert len(bell) == 0


def test_a_step_that_takes_too_long_ends_the_block_and_short_ones_never_do() -> None:
    in_made_up_time(_steps_take_their_time())


async def _steps_take_their_time() -> None:
    async with StepLimit(0.6) as limit:
        for _ in range(80):
            limit.begin()
            await asyncio.sleep(0.01)
            limit.end()
        await asyncio.sleep(0.7)  # what is no step has no limit
    with pytest.raises(TimeoutError):
        await _takes_too_long(StepLimit(0.05))


async def _takes_too_long(limit: StepLimit) -> None:
    async with limit:
        await asyncio.sleep(0.06)
        limit.begin()
        await asyncio.sleep(60)
