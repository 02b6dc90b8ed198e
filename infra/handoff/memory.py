"""The handoff's double for tests: the same promises, within one process."""

from __future__ import annotations

import asyncio
from itertools import count

from infra.feed import Listening
from infra.handoff import ANSWER_BYTES_MAX, ANSWER_S, ASKED_MAX, QUESTION_BYTES_MAX, TAKEN_MAX, Answers
from infra.handoff.rota import chosen
from infra.store import Unavailable

_Taker = tuple[Answers, set[asyncio.Task[bytes]]]
"""Who answers, and what is in hand there."""


class MemoryHandoff:
    """Hands each question to the next of those who answer."""

    def __init__(self) -> None:
        """Know nobody who answers yet."""
        self._takers: dict[str, _Taker] = {}
        self._asked = 0
        self._turns, self._names = count(), count()

    async def ask(self, question: bytes, wait_s: float = ANSWER_S, about: str = "") -> bytes:
        """Return the answer of one of those who answer."""
        assert len(question) <= QUESTION_BYTES_MAX
        if not self._takers:
            raise Unavailable("no dealer answers")
        if self._asked >= ASKED_MAX:
            raise Unavailable("too many requests wait for a dealer")
        name = chosen(self._takers, about or str(next(self._turns)))
        assert name is not None, "somebody answers"
        taker = self._takers[name]
        if len(taker[1]) >= TAKEN_MAX:
            raise Unavailable("the dealer has its hands full")
        self._asked += 1
        try:
            return await self._answered(*taker, question, wait_s)
        finally:
            self._asked -= 1

    async def _answered(
        self, answers: Answers, taken: set[asyncio.Task[bytes]], question: bytes, wait_s: float
    ) -> bytes:
        """Wait for an answer; one that comes too late is made all the same, as it is elsewhere."""
        task = asyncio.ensure_future(answers(question))
        taken.add(task)
        task.add_done_callback(taken.discard)
        try:
            async with asyncio.timeout(wait_s):
                answer = await asyncio.shield(task)
        except TimeoutError as trouble:
            raise Unavailable("no dealer answered in time") from trouble
        if len(answer) > ANSWER_BYTES_MAX:
            raise Unavailable("the answer does not end")
        return answer

    async def take(self, answers: Answers) -> Listening:
        """Answer a share of the questions from now on."""
        taken: set[asyncio.Task[bytes]] = set()
        name = str(next(self._names))
        self._takers[name] = (answers, taken)
        return _Taking(self._takers, name)


class _Taking:
    def __init__(self, takers: dict[str, _Taker], name: str) -> None:
        self._takers = takers
        self._name = name

    async def stop(self) -> None:
        _, taken = self._takers.pop(self._name)
        await asyncio.gather(*taken)
