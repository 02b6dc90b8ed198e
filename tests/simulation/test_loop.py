"""The virtual loop: time that leaps, tasks in any order, callbacks in theirs, and lives that stop at once."""

from __future__ import annotations

import asyncio
from contextvars import copy_context
from random import Random
from typing import Any

import pytest

from tests.simulation.loop import OWNER, Stalled, VirtualLoop


class Owner:
    def __init__(self) -> None:
        self.alive = True
        self.tasks: set[Any] = set()


def run(work: Any, seed: int = 1) -> Any:
    loop = VirtualLoop(Random(seed))
    try:
        return loop.run_until_complete(work(loop))
    finally:
        loop.close()


def test_an_hour_passes_at_once_and_in_its_order() -> None:
    async def work(loop: VirtualLoop) -> list[str]:
        said: list[str] = []
        for after_s in (3_600, 1, 60):
            loop.call_later(after_s, said.append, f"{after_s}")
        loop.call_later(30, said.append, "never").cancel()
        await asyncio.sleep(3_601)
        assert loop.time() == pytest.approx(3_601, abs=1)
        return said

    assert run(work) == ["1", "60", "3600"]


def test_tasks_come_in_any_order_and_callbacks_in_theirs() -> None:
    async def work(loop: VirtualLoop) -> tuple[list[int], list[int]]:
        steps: list[int] = []
        calls: list[int] = []

        async def step(number: int) -> None:
            steps.append(number)

        tasks = [asyncio.ensure_future(step(number)) for number in range(5)]
        for number in range(5):
            loop.call_soon(calls.append, number)
        await asyncio.gather(*tasks)
        return steps, calls

    found = [run(work, seed) for seed in range(20)]
    assert all(calls == [0, 1, 2, 3, 4] for _, calls in found)
    assert len({tuple(steps) for steps, _ in found}) > 10
    assert found == [run(work, seed) for seed in range(20)]


def test_what_a_thread_would_do_is_a_step_that_ends_later() -> None:
    async def work(loop: VirtualLoop) -> int:
        before = loop.time()
        with pytest.raises(ZeroDivisionError):
            await asyncio.to_thread(lambda: 1 // 0)
        found = await asyncio.to_thread(lambda: 42)
        assert before < loop.time() < before + 1
        return found

    assert run(work) == 42


def test_who_is_not_alive_does_nothing_until_the_end() -> None:
    async def work(loop: VirtualLoop) -> list[str]:
        said: list[str] = []
        owner, context = Owner(), copy_context()
        context.run(OWNER.set, owner)

        async def live() -> None:
            try:
                await asyncio.sleep(1)
                said.append("went on")
            finally:
                said.append("cleaned up")

        living = loop.create_task(live(), context=context)
        await asyncio.sleep(0.5)
        owner.alive = False
        loop.freeze()
        await asyncio.sleep(5)
        assert (said, owner.tasks) == ([], {living})
        loop.thaw()
        living.cancel()
        await asyncio.wait([living])
        return said

    assert run(work) == ["cleaned up"]


def test_a_loop_in_which_nothing_will_happen_says_so() -> None:
    async def work(_loop: VirtualLoop) -> None:
        await asyncio.Event().wait()

    loop = VirtualLoop(Random(1))
    with pytest.raises(Stalled, match="nobody waits"):
        loop.run_until_complete(work(loop))
    for task in asyncio.all_tasks(loop):
        task.cancel()
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()


def test_a_loop_without_an_end_is_ended() -> None:
    async def work(loop: VirtualLoop) -> None:
        loop.passes = 10**9
        await asyncio.sleep(0)

    loop = VirtualLoop(Random(1))
    with pytest.raises(Stalled, match="no end"):
        loop.run_until_complete(work(loop))
    loop.passes = 0
    for task in asyncio.all_tasks(loop):
        task.cancel()
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()


def test_a_group_that_fails_ends_its_tasks_in_the_same_order_each_time() -> None:
    async def work(_loop: VirtualLoop) -> list[int]:
        ended: list[int] = []

        async def last(number: int) -> None:
            try:
                await asyncio.sleep(9)
            finally:
                ended.append(number)

        async def fail() -> None:
            await asyncio.sleep(1)
            raise ValueError

        async def all_of_them() -> None:
            async with asyncio.TaskGroup() as group:
                for number in range(9):
                    group.create_task(last(number))
                group.create_task(fail())

        with pytest.raises(ExceptionGroup):
            await all_of_them()
        return ended

    assert len({tuple(run(work)) for _ in range(9)}) == 1
