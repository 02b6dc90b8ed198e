"""Turns of a match: its commands are decided one after the other, and none of them waits for ever."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final
from uuid import UUID

from domain.match.record import stream_of
from infra.measures.slow import SlowCommands
from infra.measures.watches import Timed, Watch
from infra.store import Unavailable

TURN_S: Final = 6.0
"""How long a command waits for those before it: as long as one of them waits for its commit."""


class Turns:
    """A queue a match, as long as anybody wants it: two decided at once would only be in each other's way.

    Who comes to a match with nobody there, as nearly all do, waits for nothing: no lock is made and no time is taken.
    """

    def __init__(self, slow: SlowCommands | None = None) -> None:
        """Begin with no match. How long a turn takes, with the wait for it, is told to `slow`."""
        self._slow = slow or SlowCommands()
        self._waiting: dict[UUID, deque[asyncio.Future[None]]] = {}

    def of(self, match_id: UUID, what: str = "GiveBack") -> MatchTurn:
        """Return the turn of a match, to be held with `async with`; `what` says the kind of command it is for."""
        return MatchTurn(self, self._slow, match_id, what)

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

    __slots__ = ("_match_id", "_slow", "_turns", "_watch", "_what")

    def __init__(self, turns: Turns, slow: SlowCommands, match_id: UUID, what: str) -> None:
        """Be one of these."""
        self._turns = turns
        self._slow = slow
        self._match_id = match_id
        self._what = what
        self._watch: Watch

    async def __aenter__(self) -> None:
        """Wait for it."""
        self._watch = self._slow.begin()
        try:
            with Timed("turn"):
                await self._turns.begin(self._match_id)
        except BaseException:
            self._note()
            raise

    async def __aexit__(self, *_trouble: object) -> None:
        """Hand it on."""
        self._turns.end(self._match_id)
        self._note()

    def _note(self) -> None:
        self._slow.end(self._watch, self._what, stream_of(self._match_id))
