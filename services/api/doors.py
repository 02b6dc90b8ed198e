"""Whether the program still takes requests, and how many streams it holds open."""

from __future__ import annotations

import asyncio

from services.api.problems import Trouble


class Doors:
    """The doors of one process: open from the start, closed once, for good."""

    def __init__(self) -> None:
        """Open."""
        self._closed = asyncio.Event()
        self.streams = 0

    @property
    def are_open(self) -> bool:
        """Whether new work is welcome."""
        return not self._closed.is_set()

    def close(self) -> None:
        """Let nobody in any more: not ready, and every stream says bye."""
        self._closed.set()

    async def closed(self) -> None:
        """Wait until the doors are closed."""
        await self._closed.wait()

    def check_room(self, streams_max: int) -> None:
        """Let one more stream in.

        Raises:
            Trouble: `too_many_streams` when there are `streams_max`, `closing` once the doors are closed.
        """
        if not self.are_open:
            raise Trouble("closing")
        if self.streams >= streams_max:
            raise Trouble("too_many_streams")
