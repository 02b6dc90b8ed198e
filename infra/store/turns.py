"""Turns of a stream among programs: those who append much to one stream come one after the other.

The law of the file: a turn is a courtesy. What keeps a stream whole is the version each append expects; without turns
whoever reads again after a conflict is late once more, for as long as another program has something to append. So a
turn that cannot be had in time is gone without, and one that is lost in the middle costs nothing but that.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from typing import Any, Final

from infra.store import Unavailable
from infra.store.writer import TROUBLE

TURN: Final = "select pg_advisory_xact_lock(hashtextextended('turn of ' || $1, 0))"
"""The database hands it on in the order it was asked for, and takes it from a program that dies."""
STATEMENTS: Final = (TURN,)
TURN_S: Final = 3.0
"""How long a turn is waited for and held: far longer than a commit takes, and less than those wait for whom it is."""
TURNS_MAX: Final = 4
"""How many turns are held or waited for at once, each with a connection: the rest is for those who do the work."""

Connects = Callable[[float], AbstractAsyncContextManager[Any]]
"""Lends a connection for so many seconds."""


class StoreTurns:
    """The turns of this program."""

    def __init__(self, connect: Connects) -> None:
        """Hold them in the database, each by a connection of its own."""
        self._connect = connect
        self._asked = 0

    @asynccontextmanager
    async def of(self, stream: str) -> AsyncIterator[None]:
        """Hold the turn of a stream, or go on without it."""
        held: AsyncExitStack | None = None
        self._asked += 1
        try:
            if self._asked <= TURNS_MAX:
                with suppress(Unavailable, *TROUBLE):
                    held = await self._begin(stream)
            yield
        finally:
            self._asked -= 1
            if held is not None:
                with suppress(*TROUBLE):
                    await held.aclose()

    async def _begin(self, stream: str) -> AsyncExitStack:
        async with AsyncExitStack() as stack:
            connection = await stack.enter_async_context(self._connect(TURN_S))
            await stack.enter_async_context(connection.transaction())
            await connection.execute(TURN, stream)
            return stack.pop_all()
