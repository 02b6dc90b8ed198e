"""Time slices of the event loop: long work is done a little at a time, so that whoever asks for little waits little."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Final, TypeVar

SLICE_S: Final = 0.001
"""How long work goes on before everybody else has had a turn. A request takes some ten passes of the loop from its
first byte to its last, so beside work without end it is answered some ten milliseconds later."""

T = TypeVar("T")


class Pace:
    """The turns of all long work of a process: each pass of the event loop does one slice of one work.

    Not a thread: while a thread computes, the loop waits up to five milliseconds for the interpreter each time it comes
    back from the network, and that several times a request.
    """

    def __init__(self, slice_s: float = SLICE_S) -> None:
        """Let work go on for so long at a time."""
        self._slice_s = slice_s
        self._turn = asyncio.Lock()

    async def collect(self, work: Iterable[T]) -> list[T]:
        """Return all that the work yields; no step of it may take much longer than a slice.

        Works under way at the same time take turns. Cost: an idle pass of the event loop for each slice.
        """
        found: list[T] = []
        steps, clock = iter(work), asyncio.get_running_loop().time
        while True:
            async with self._turn:
                until = clock() + self._slice_s
                for each in steps:
                    found.append(each)
                    if clock() >= until:
                        break
                else:
                    return found
            await asyncio.sleep(0)
