"""Turns of a match: its commands are decided one after the other, and none of them waits for ever."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final
from uuid import UUID

from infra.store import Unavailable

TURN_S: Final = 6.0
"""How long a command waits for those before it: as long as one of them waits for its commit."""


class Turns:
    """A queue a match, as long as anybody wants it: two decided at once would only be in each other's way.

    Who comes to a match with nobody there, as nearly all do, waits for nothing: no lock is made and no time is taken.
    """

    def __init__(self) -> None:
        """Begin with no match."""
        self._waiting: dict[UUID, deque[asyncio.Future[None]]] = {}

    def of(self, match_id: UUID) -> MatchTurn:
        """Return the turn of a match, to be held with `async with`."""
        return MatchTurn(self, match_id)

    async def begin(self, match_id: UUID) -> None:
        """Return when it is the turn of whoever asks, who has to end it.

        Raises:
            Unavailable: Those before wait for a database that does not answer.
        """
        waiting = self._waiting.get(match_id)
        if waiting is None:
            self._waiting[match_id] = deque()
            return
        turn = asyncio.get_running_loop().create_future()
        waiting.append(turn)
        try:
            async with asyncio.timeout(TURN_S):
                await turn
        except BaseException as trouble:
            # Whoever stops waiting just as the turn comes hands it on, or it would be lost.
            if turn.done() and not turn.cancelled():
                self.end(match_id)
            if isinstance(trouble, TimeoutError):
                raise Unavailable("commands before this one are not answered") from trouble
            raise

    def end(self, match_id: UUID) -> None:
        """Hand the turn to whoever has waited longest and still does."""
        waiting = self._waiting[match_id]
        while waiting:
            turn = waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        del self._waiting[match_id]


class MatchTurn:
    """The turn of one match for whoever holds it."""

    __slots__ = ("_match_id", "_turns")

    def __init__(self, turns: Turns, match_id: UUID) -> None:
        """Be one of these."""
        self._turns = turns
        self._match_id = match_id

    async def __aenter__(self) -> None:
        """Wait for it."""
        await self._turns.begin(self._match_id)

    async def __aexit__(self, *_trouble: object) -> None:
        """Hand it on."""
        self._turns.end(self._match_id)
