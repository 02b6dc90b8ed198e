"""Turns of a match under cancellation: none is lost, none is had twice, and who comes first is served first."""

from __future__ import annotations

import asyncio
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from services.matches.turns import Turns

MINE = UUID(int=1)


@given(st.lists(st.tuples(st.integers(0, 3), st.one_of(st.none(), st.integers(0, 6))), max_size=12))
def test_whoever_gives_up_whenever_it_is_the_others_have_their_turn_alone(people: list[tuple[int, int | None]]) -> None:
    """Each of them holds a turn for so many passes of the event loop, and gives up after so many, or never."""
    served: list[int] = []
    held: set[int] = set()

    async def come(turns: Turns, number: int, passes: int) -> None:
        async with turns.of(MINE):
            assert not held, "two at once"
            held.add(number)
            try:
                for _ in range(passes):
                    await asyncio.sleep(0)
            finally:
                held.remove(number)
        served.append(number)

    async def give_up(task: asyncio.Task[None], passes: int) -> None:
        for _ in range(passes):
            await asyncio.sleep(0)
        task.cancel()

    async def all_of_them() -> None:
        turns = Turns()
        tasks = [asyncio.create_task(come(turns, number, passes)) for number, (passes, _) in enumerate(people)]
        leaving = [
            asyncio.create_task(give_up(task, after))
            for task, (_, after) in zip(tasks, people, strict=True)
            if after is not None
        ]
        found = await asyncio.wait_for(asyncio.gather(*tasks, *leaving, return_exceptions=True), 10)
        assert all(one is None or isinstance(one, asyncio.CancelledError) for one in found), found
        async with turns.of(MINE):
            pass

    asyncio.run(all_of_them())
    assert served == sorted(served)
    assert {number for number, (_, after) in enumerate(people) if after is None} <= set(served)
