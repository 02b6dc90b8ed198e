"""Many at once, some in each pass of the event loop: who waits for the same thing, and who comes together."""

from __future__ import annotations

import asyncio
from collections import deque
from functools import partial
from math import inf
from typing import Final, Protocol

AT_ONCE: Final = 16
"""How many are woken in a pass of the event loop; to serve them takes a few milliseconds."""


class Waker(Protocol):
    """Whatever can wake a follower of the log early: a commit in this process, a poke from another."""

    async def wait(self, timeout_s: float) -> None:
        """Return when something was stored, or after the time."""


class Broadcast:
    """What many wait for. A ring reaches all who wait when it is rung, in the order in which they came."""

    def __init__(self) -> None:
        """Have nobody wait."""
        self._waiting: dict[asyncio.Future[bool], None] = {}

    def __len__(self) -> int:
        """Return how many wait."""
        return len(self._waiting)

    async def wait(self, over: asyncio.Future[None] | None = None, at_most_s: float = inf) -> bool:
        """Return some passes of the event loop after the next ring, once this is over, or after so many seconds.

        Report whether it was the ring.
        """
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[bool] = loop.create_future()
        leave = partial(_leave, turn)
        self._waiting[turn] = None
        # Not `asyncio.timeout`: thousands wait here anew after each ring, and it costs more than all the rest of it.
        timer = None if at_most_s == inf else loop.call_later(at_most_s, leave)
        if over is not None:
            over.add_done_callback(leave)
        try:
            return await turn
        finally:
            self._waiting.pop(turn, None)
            if timer is not None:
                timer.cancel()
            if over is not None:
                over.remove_done_callback(leave)

    def ring(self) -> None:
        """Let all who wait go on, some in each pass of the event loop."""
        rung = deque(self._waiting)
        self._waiting.clear()
        self._wake(rung)

    def _wake(self, rung: deque[asyncio.Future[bool]]) -> None:
        for _ in range(min(AT_ONCE, len(rung))):
            turn = rung.popleft()
            if not turn.done():
                turn.set_result(True)
        if rung:
            rung[0].get_loop().call_soon(self._wake, rung)


class Arrivals:
    """Lets so many who come begin in a pass of the event loop, in the order in which they came.

    Whoever is here already does one step in each pass, however many come.
    """

    def __init__(self, at_once: int) -> None:
        """Let this many begin in each pass."""
        self._at_once = at_once
        self._begun = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def turn(self) -> None:
        """Return when it is one's turn to begin: at once, if few come."""
        if self._begun < self._at_once:
            self._begin()
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        await turn

    def _begin(self) -> None:
        if self._begun == 0:
            asyncio.get_running_loop().call_soon(self._next)
        self._begun += 1

    def _next(self) -> None:
        self._begun = 0
        while self._waiting and self._begun < self._at_once:
            turn = self._waiting.popleft()
            if not turn.done():
                self._begin()
                turn.set_result(None)


def _leave(turn: asyncio.Future[bool], _over: asyncio.Future[None] | None = None) -> None:
    if not turn.done():
        turn.set_result(False)
