"""Several works at once, none of which is left behind when another fails."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from itertools import islice

from infra.store import Unavailable


async def side_by_side(works: Iterable[Coroutine[None, None, None]]) -> None:
    """Do these at once, all to their end, and then raise what went wrong.

    Raises:
        Unavailable: The store or the bus was away, and nothing worse was met.
    """
    ends = [end for end in await asyncio.gather(*works, return_exceptions=True) if end is not None]
    if ends:
        raise min(ends, key=lambda end: isinstance(end, Unavailable))


async def in_rounds(works: Iterable[Coroutine[None, None, None]], at_once: int) -> None:
    """Do these so many at a time; what goes wrong in a round is raised after it, and the next is not made.

    Raises:
        Unavailable: The store or the bus was away, and nothing worse was met.
    """
    left = iter(works)
    while some := list(islice(left, at_once)):
        await side_by_side(some)


async def end_of_first(tasks: list[asyncio.Task[None]]) -> None:
    """Return when one has failed, raising what it met, or the first of them has ended; others may end by themselves."""
    waiting = set(tasks)
    while True:
        done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
        if tasks[0] in done:
            return
