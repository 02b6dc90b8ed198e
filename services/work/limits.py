"""Step limits: a time within which each of very many steps of a task has to end, watched by one timer for all of them.

A timer a step costs more than most steps, and hardly any of them runs out.
"""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self


class StepLimit:
    """Ends a block with TimeoutError when a step in it takes too long: `async with limit: limit.begin(); ...`."""

    def __init__(self, limit_s: float) -> None:
        """Let a step take so many seconds."""
        self._limit_s = limit_s
        self._begun_at: float | None = None
        self._block = asyncio.timeout(None)
        self._timer: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> Self:
        """Watch what follows."""
        await self._block.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Watch no more.

        Raises:
            TimeoutError: A step took too long.
        """
        if self._timer is not None:
            self._timer.cancel()
        await self._block.__aexit__(kind, fault, trace)

    def begin(self) -> None:
        """A step begins."""
        self._begun_at = asyncio.get_running_loop().time()
        if self._timer is None:
            self._look_after(self._limit_s)

    def end(self) -> None:
        """It has ended."""
        self._begun_at = None

    def _look_after(self, seconds: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, self._look)

    def _look(self) -> None:
        """End the block if the step under way has had its time; otherwise look again when it has. At rest, do not."""
        self._timer = None
        if self._begun_at is None:
            return
        now = asyncio.get_running_loop().time()
        left_s = self._begun_at + self._limit_s - now
        if left_s > 0:
            self._look_after(left_s)
        else:
            self._block.reschedule(now)
