"""Connections, lent for a time: a pool, and a few idle ones beside it.

A database that hangs answers nothing. So whoever has a connection too long, or goes away, loses it in the middle of a
query, and what that did or did not do is asked anew.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import asyncpg

KEPT_MAX: Final = 4
"""How many idle connections stay outside the pool: to give one back and to ask for it again takes two tasks and two
timers, as long as a command's own work."""
CLOSE_S: Final = 2.0
"""How long connections get to say goodbye; a broken one never does."""


class Lending:
    """The connections of one program."""

    def __init__(self, pool: asyncpg.Pool[Any]) -> None:
        """Lend those of this pool."""
        self._pool = pool
        self._kept: list[Any] = []
        self._asking = 0

    @property
    def lent(self) -> int:
        """How many are in use."""
        idle: int = self._pool.get_idle_size()
        return self.open - idle - len(self._kept)

    @property
    def open(self) -> int:
        """How many there are."""
        there: int = self._pool.get_size()
        return there

    @property
    def asking(self) -> int:
        """How many wait for one, or are about to get it."""
        return self._asking

    @asynccontextmanager
    async def lend(self, wait_s: float) -> AsyncIterator[Any]:
        """Lend a connection for so long; whoever has it longer, or is cancelled, loses it in the middle of a query.

        The library would ask the server to cancel the query and wait until it has: a server that hangs never does.

        Raises:
            OSError: There was none in time, or the time was over.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + wait_s
        connection = self._take_kept() or await self._ask(wait_s)
        timer = loop.call_at(deadline, connection.terminate)
        is_whole = False
        try:
            yield connection
            is_whole = True
        except asyncio.CancelledError:
            connection.terminate()
            raise
        except AttributeError as trouble:
            # Between two steps of one query the library does not ask whether it still has a connection.
            if loop.time() < deadline:
                raise
            raise ConnectionAbortedError("the connection was given up") from trouble
        finally:
            timer.cancel()
            # One that somebody waits for goes through the pool, which knows who is first.
            if is_whole and not self._asking and len(self._kept) < KEPT_MAX:
                self._kept.append(connection)
            else:
                await self._pool.release(connection)

    def _take_kept(self) -> Any:  # noqa: ANN401 - the library's proxy of a connection
        """Return an idle connection, None if there is none; the pool gets back those that were lost."""
        while self._kept:
            connection = self._kept.pop()
            with suppress(asyncpg.InterfaceError):  # the pool has it already
                if not connection.is_closed():
                    return connection
                connection.terminate()
        return None

    async def _ask(self, wait_s: float) -> Any:  # noqa: ANN401 - the library's proxy of a connection
        self._asking += 1
        try:
            return await self._pool.acquire(timeout=wait_s)
        finally:
            self._asking -= 1

    def end(self) -> None:
        """Cut all of them."""
        self._pool.terminate()

    async def close(self) -> None:
        """Let go of all of them; those that do not say goodbye in time are cut."""
        self._asking += 1  # the pool asks for all of them
        try:
            async with asyncio.timeout(CLOSE_S):
                await asyncio.gather(*map(self._pool.release, self._kept))
                await self._pool.close()
        except TimeoutError:
            self._pool.terminate()
