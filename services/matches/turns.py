"""Turns of a match: its commands are decided one after the other, and none of them waits for ever."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final
from uuid import UUID
from weakref import WeakValueDictionary

from infra.store import Unavailable

TURN_S: Final = 6.0
"""How long a command waits for those before it: as long as one of them waits for its commit."""


class Turns:
    """A lock a match, as long as anybody wants it: two decided at once would only be in each other's way."""

    def __init__(self) -> None:
        """Begin with no match."""
        self._locks: WeakValueDictionary[UUID, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def of(self, match_id: UUID) -> AsyncIterator[None]:
        """Hold the turn of a match.

        Raises:
            Unavailable: Those before wait for a database that does not answer.
        """
        lock = self._locks.setdefault(match_id, asyncio.Lock())
        try:
            async with asyncio.timeout(TURN_S):
                await lock.acquire()
        except TimeoutError as trouble:
            raise Unavailable("commands before this one are not answered") from trouble
        try:
            yield
        finally:
            lock.release()
