"""Somebody who asks a life of a house, and tells of it: before it is asked, and once there is an answer."""

from __future__ import annotations

import asyncio
import hashlib
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import msgspec

from domain.errors import Refused
from infra.store import Unavailable
from services.matches.requests import Answer, CommandMetadata
from services.program.app import HouseProgram
from services.tournaments.requests import TournamentAnswer
from tests.crashpoints.story import Asked, Denied, Play, Story, Telling, Told

AGAIN_S: Final = 0.05
"""How long somebody waits who was told to."""
NEWEST: Final = 2
"""How much of what was answered is asked for again in each life: what came last is what a kill may have torn."""
Said = TypeVar("Said", Answer, TournamentAnswer)


class Asker(ABC):
    """Those who ask one life of a house."""

    def __init__(self, program: HouseProgram, seed: int, story: Story, tell: Callable[[Telling], None]) -> None:
        """Go on with this story; whatever happens is told, and stands in it then."""
        self._program = program
        self._seed = seed
        self._story = story
        self._tell = tell
        self._repeated: set[str] = set()

    async def go_on(self) -> None:
        """Bring the story to its end, and ask again for what was answered last."""
        self._repeated = set(list(self._story.told)[-NEWEST:])
        await self._run()

    async def repeat(self) -> None:
        """Ask again for all that was answered."""
        self._repeated = set(self._story.told)
        await self._run()

    @abstractmethod
    async def _run(self) -> None:
        """Ask for one step after the other, those of lives before as well."""

    async def _ask(
        self,
        step: str,
        identity: CommandMetadata,
        ask: Callable[[CommandMetadata], Awaitable[Said]],
        kind: type[Said],
        stream_of: Callable[[Said], str],
        play: Play | None = None,
    ) -> Said:
        """Return the answer to a step, which may have come to a life before, and is asked for again now and then."""
        known = self._story.told.get(step)
        if known is not None and step not in self._repeated:
            return msgspec.json.decode(known.answer, type=kind)
        if known is None and step not in self._story.asked:
            self._tell(Asked(step, play))
        try:
            answer = await _answered(ask, identity)
        except Refused as no:
            self._tell(Denied(step, no.code))
            raise
        self._tell(Told(step, stream_of(answer), self._stored_as(step, identity), msgspec.json.encode(answer)))
        return answer

    def _stored_as(self, step: str, identity: CommandMetadata) -> bytes:  # noqa: ARG002 - for those of some steps
        """Return under which id the answer of a step is stored; nothing where it is that of several commands."""
        return identity.command

    def _key(self, step: str) -> tuple[str, bytes]:
        """Return the key of a step, which no other story has, and the fingerprint of what is asked for."""
        return f"{self._story.name} {step}", hashlib.sha256(step.encode()).digest()


async def _answered(ask: Callable[[CommandMetadata], Awaitable[Said]], identity: CommandMetadata) -> Said:
    """Ask until there is an answer, with the same key."""
    while True:
        try:
            return await ask(identity)
        except Unavailable:
            await asyncio.sleep(AGAIN_S)
