"""The queue of commands of a tournament: whoever comes while others are decided is decided with all who wait by then.

A command at rest is decided at once. Under load those that wait share one look at the tournament and one commit, in the
order they came, so that another program's commit costs them one try and not one each.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Generic, TypeVar
from uuid import UUID

from infra.measures.watches import Timed
from infra.store import CHAIN_MAX, Unavailable
from services.tournaments.requests import TournamentAnswer

QUEUE_MAX: Final = 4_096
"""Commands that wait for one tournament: as many as it may have entrants."""
WAIT_S: Final = 12.0
"""How long a command waits for those before it and for its own commit, each as long as the store tries one."""

Request = TypeVar("Request")


class WaitingCommand(Generic[Request]):
    """A request that waits for its answer.

    Attributes:
        request: What is asked.
        refusal: Why it was refused when it was decided last; whoever asked is told once that is certain.
    """

    __slots__ = ("_done", "refusal", "request")

    def __init__(self, request: Request) -> None:
        """Wait with this."""
        self.request = request
        self.refusal: Exception | None = None
        self._done: asyncio.Future[TournamentAnswer] = asyncio.get_running_loop().create_future()

    @property
    def waits(self) -> bool:
        """Whether somebody still waits for the answer."""
        return not self._done.done()

    def tell(self, answer: TournamentAnswer) -> None:
        """Answer whoever asked."""
        if self.waits:
            self._done.set_result(answer)

    def fail(self, trouble: BaseException) -> None:
        """Raise this where the answer is waited for."""
        if self.waits:
            self._done.set_exception(trouble)
            self._done.exception()

    async def answer(self) -> TournamentAnswer:
        """Wait for the answer."""
        return await self._done


class CommandQueue(Generic[Request]):
    """Those that wait, by tournament."""

    def __init__(
        self,
        decide: Callable[[UUID, Sequence[WaitingCommand[Request]]], Awaitable[None]],
        identity: Callable[[Request], bytes],
    ) -> None:
        """Decide with `decide` whatever waits for one tournament; it answers each, and raises to nobody else.

        No two of the same `identity` are decided at once: a repeat finds what became of the first.
        """
        self._decide = decide
        self._identity = identity
        self._waiting: dict[UUID, deque[WaitingCommand[Request]]] = {}
        self._works: set[asyncio.Task[None]] = set()

    async def submit(self, tournament_id: UUID, request: Request) -> TournamentAnswer:
        """Return the answer to a request. Whoever goes before its turn comes takes it back, and nothing after that.

        Raises:
            Unavailable: Too many wait, or those before wait for a database that does not answer.
        """
        asked = WaitingCommand(request)
        waiting = self._waiting.get(tournament_id)
        if waiting is None:
            self._waiting[tournament_id] = deque()
            try:
                await self._decide(tournament_id, [asked])
            finally:
                self._go_on(tournament_id)
            return await asked.answer()
        if len(waiting) >= QUEUE_MAX:
            raise Unavailable("too many commands wait for this tournament")
        waiting.append(asked)
        try:
            # Its own commit is among what it waits for: those who are decided together are stored together.
            with Timed("turn"):
                async with asyncio.timeout(WAIT_S):
                    return await asked.answer()
        except TimeoutError as trouble:
            raise Unavailable("commands before this one are not answered") from trouble

    def _go_on(self, tournament_id: UUID) -> None:
        """See to it that those are decided who came meanwhile."""
        if not self._waiting[tournament_id]:
            del self._waiting[tournament_id]
            return
        work = asyncio.create_task(self._work(tournament_id))
        self._works.add(work)
        work.add_done_callback(self._works.discard)

    async def _work(self, tournament_id: UUID) -> None:
        """Decide whatever waits until nothing does; a crash leaves what was not stored to be asked again."""
        waiting = self._waiting[tournament_id]
        try:
            while waiting:
                left = self._next_of(waiting)
                if left:
                    await self._decide(tournament_id, left)
        finally:
            del self._waiting[tournament_id]

    def _next_of(self, waiting: deque[WaitingCommand[Request]]) -> list[WaitingCommand[Request]]:
        """Take those off the queue that are decided next: up to the first repeat of one of them."""
        batch: dict[bytes, WaitingCommand[Request]] = {}
        while waiting and len(batch) < CHAIN_MAX:
            asked = waiting[0]
            if asked.waits and self._identity(asked.request) in batch:
                break
            waiting.popleft()
            if asked.waits:
                batch[self._identity(asked.request)] = asked
        return list(batch.values())
