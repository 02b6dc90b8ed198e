"""Connections, lent for a time: a pool, and a few idle ones beside it.

A database that hangs answers nothing. So whoever has a connection too long, or goes away, loses it in the middle of a
query, and what that did or did not do is asked anew.

Where others go on without it, a database that hangs is waited for once. Whoever waits long has it asked, over a
connection of its own, whether it answers at all; if not, all who wait are told, and whoever comes is refused at once,
until it does. A lock that is held for long is no such thing: then it answers.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import asyncpg

from infra.store import Unavailable
from infra.store.writer import TROUBLE

KEPT_MAX: Final = 4
"""How many idle connections stay outside the pool: to give one back and to ask for it again takes two tasks and two
timers, as long as a command's own work."""
CLOSE_S: Final = 2.0
"""How long connections get to say goodbye; a broken one never does."""
LONG_S: Final = 0.5
"""How long somebody waits before the database is asked whether it answers; a commit takes some milliseconds."""
ANSWER_S: Final = 2.0
"""How long it may take to: with the wait before, nobody stands still for three seconds."""
AGAIN_S: Final = 1.0
"""How often one that hangs is asked."""

Question = Callable[[], Awaitable[None]]
"""Asks a database for an answer, over a connection of its own."""


class Lending:
    """The connections of one program."""

    def __init__(self, pool: asyncpg.Pool[Any], question: Question | None = None) -> None:
        """Lend those of this pool; the question is for a database that others go on without while it hangs."""
        self._pool = pool
        self._question = question
        self._questioning: asyncio.Task[None] | None = None
        self._hangs = False
        self._kept: list[Any] = []
        self._given: set[Any] = set()
        self._waits: set[asyncio.Timeout] = set()
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

    @property
    def hangs(self) -> bool:
        """Report whether it does not answer, so that nobody waits for it."""
        return self._hangs

    @asynccontextmanager
    async def lend(self, wait_s: float) -> AsyncIterator[Any]:
        """Lend a connection for so long; whoever has it longer, or is cancelled, loses it in the middle of a query.

        The library would ask the server to cancel the query and wait until it has: a server that hangs never does.

        Raises:
            OSError: There was none in time, or the time was over.
            Unavailable: The database hangs, as somebody has found before.
        """
        if self._hangs:
            raise Unavailable("the database does not answer")
        loop = asyncio.get_running_loop()
        deadline = loop.time() + wait_s
        connection = self._take_kept() or await self._ask(wait_s)
        self._given.add(connection)
        timers = [loop.call_at(deadline, self._cut, connection), *self._doubt_later()]
        is_whole = False
        try:
            yield connection
            is_whole = True
        except asyncio.CancelledError:
            connection.terminate()
            raise
        except AttributeError as trouble:
            # Between two steps of one query the library does not ask whether it still has a connection.
            if connection in self._given:
                raise
            raise ConnectionAbortedError("the connection was given up") from trouble
        finally:
            for timer in timers:
                timer.cancel()
            self._given.discard(connection)
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
        timers = self._doubt_later()
        try:
            async with asyncio.timeout(None) as wait:
                self._waits.add(wait)
                return await self._pool.acquire(timeout=wait_s)
        finally:
            self._waits.discard(wait)
            for timer in timers:
                timer.cancel()
            self._asking -= 1

    def _cut(self, connection: Any) -> None:  # noqa: ANN401 - as above
        """Take a connection from whoever has it, in the middle of what is asked over it."""
        self._given.discard(connection)
        connection.terminate()

    def _doubt_later(self) -> list[asyncio.TimerHandle]:
        """Return the timer that has the database asked; none, where nobody goes on without it."""
        if self._question is None:
            return []
        return [asyncio.get_running_loop().call_later(LONG_S, self._doubt, self._question)]

    def _doubt(self, question: Question) -> None:
        if self._questioning is None:
            self._questioning = asyncio.create_task(self._find_out(question))

    async def _find_out(self, question: Question) -> None:
        """Ask whether the database answers; while it does not, nobody waits for it."""
        try:
            while not await _is_answered(question):
                self._hangs = True
                for connection in [*self._given]:
                    self._cut(connection)
                for wait in self._waits:
                    wait.reschedule(0)
                self._waits.clear()
                await asyncio.sleep(AGAIN_S)
        finally:
            self._hangs, self._questioning = False, None

    def _stop_asking(self) -> None:
        if self._questioning is not None:
            self._questioning.cancel()

    def end(self) -> None:
        """Cut all of them."""
        self._stop_asking()
        self._pool.terminate()

    async def close(self) -> None:
        """Let go of all of them; those that do not say goodbye in time are cut."""
        self._stop_asking()
        self._asking += 1  # the pool asks for all of them
        try:
            async with asyncio.timeout(CLOSE_S):
                await asyncio.gather(*map(self._pool.release, self._kept))
                await self._pool.close()
        except TimeoutError:
            self._pool.terminate()


async def _is_answered(question: Question) -> bool:
    """Report whether a database answers, be it that it refuses; one that refuses keeps nobody waiting."""
    try:
        async with asyncio.timeout(ANSWER_S):
            await question()
    except TimeoutError:
        return False
    except (Unavailable, asyncpg.PostgresError, *TROUBLE):
        return True
    return True
