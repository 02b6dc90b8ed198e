"""Queues by network: so many requests of one are worked at, and the others of the same network wait for their turn.

Work in this process is done a piece at a time. Without a queue, a network that sends five hundred requests at once is
worked at five hundred times before anybody else's turn; with it, others come in between.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from typing import Final

from litestar.types import Scope

from services.http.problems import Trouble

_TURN: Final = "turn"
"""The key in the state of a scope."""


class Full(Trouble):
    """Too many of one network wait already."""

    def __init__(self) -> None:
        """Say so."""
        super().__init__("too_many_requests", "too many requests of your network wait for their turn already")
        self.with_headers({"Retry-After": "1"})


@dataclass(slots=True)
class _Queue:
    working: int = 0
    waiting: deque[asyncio.Future[None]] = field(default_factory=deque)


@dataclass(slots=True)
class Turn:
    """A request that is being worked at."""

    queues: Queues
    network: str
    over: bool = False

    def end(self) -> None:
        """Let the next of the same network begin; once is enough, and more does no harm."""
        if not self.over:
            self.over = True
            self.queues.ended(self.network)


class Queues:
    """A queue for each network that has requests here."""

    def __init__(self, at_once: int, waiting_max: int) -> None:
        """Work at so many requests of a network at once, and let so many wait."""
        self._at_once = at_once
        self._waiting_max = waiting_max
        self._queues: dict[str, _Queue] = {}

    async def turn(self, network: str) -> Turn:
        """Wait for the turn of a request.

        Raises:
            Full: Too many wait already.
        """
        queue = self._queues.get(network)
        if queue is None:
            queue = self._queues[network] = _Queue()
        if queue.working < self._at_once:
            queue.working += 1
        elif len(queue.waiting) < self._waiting_max:
            await self._handed_on(network, queue)
        else:
            raise Full
        return Turn(self, network)

    def ended(self, network: str) -> None:
        """Note that a request of this network is done: its turn goes to the one that has waited longest."""
        queue = self._queues[network]
        while queue.waiting:
            waiting = queue.waiting.popleft()
            if not waiting.done():
                waiting.set_result(None)
                return
        queue.working -= 1
        if queue.working == 0:
            del self._queues[network]

    async def _handed_on(self, network: str, queue: _Queue) -> None:
        waiting = asyncio.get_running_loop().create_future()
        queue.waiting.append(waiting)
        try:
            await waiting
        except asyncio.CancelledError:
            # Whoever stops waiting just as the turn comes hands it on, or it would be lost.
            if waiting.done() and not waiting.cancelled():
                self.ended(network)
            raise


def keep(scope: Scope, turn: Turn) -> None:
    """Leave a turn with the request that has it."""
    scope["state"][_TURN] = turn


def give_up(scope: Scope) -> None:
    """End the turn of a request that is going to wait for something else."""
    turn: Turn | None = scope["state"].pop(_TURN, None)
    if turn is not None:
        turn.end()
