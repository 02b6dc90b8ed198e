"""Queues by network: so many requests of one are worked at, and the others of the same network wait for their turn.

Work in this process is done a piece at a time. Without a queue, a network that sends five hundred requests at once is
worked at five hundred times before anybody else's turn; with it, others come in between.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from services.api.problems import Trouble


class Full(Trouble):
    """Too many of one network wait already."""

    def __init__(self) -> None:
        """Say so."""
        super().__init__("too_many_requests", "too many requests of your network wait for their turn already")
        self.with_headers({"Retry-After": "1"})


@dataclass(slots=True)
class _Queue:
    turns: asyncio.Semaphore
    requests: int = 0


@dataclass(slots=True)
class Turn:
    """A request that is being worked at."""

    queues: Queues
    network: str
    over: bool = field(default=False)

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
            queue = self._queues[network] = _Queue(asyncio.Semaphore(self._at_once))
        if queue.requests >= self._at_once + self._waiting_max:
            raise Full
        queue.requests += 1
        try:
            await queue.turns.acquire()
        except BaseException:
            self._left(network)
            raise
        return Turn(self, network)

    def ended(self, network: str) -> None:
        """Note that a request of this network is done."""
        self._queues[network].turns.release()
        self._left(network)

    def _left(self, network: str) -> None:
        self._queues[network].requests -= 1
        if self._queues[network].requests == 0:
            del self._queues[network]
