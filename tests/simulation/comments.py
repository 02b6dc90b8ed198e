"""Comments of a schedule: a host who says something about the match, and takes some of it back."""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import suppress
from typing import Any, Final
from uuid import UUID

from domain.commentary.record import stream_of_commentary
from infra.store import EventStore
from services.commentary.handler import CommentHandler
from services.commentary.reads import CommentQueries
from services.commentary.requests import CommentAnswer, SaidComment
from services.matches.handler import CommandHandler
from services.matches.requests import CommandMetadata, scope_of
from services.program.app import HouseProgram
from tests.simulation.people import Crowd, GaveUp

SAYS_MAX: Final = 4
BETWEEN_S: Final = (0.02, 0.5)
TAKES_BACK: Final = 0.4
"""How likely the last thing said is taken back."""


class Commentator:
    """A host who comments on a match.

    Attributes:
        told: What was answered, in order.
        stands: The words of each comment that was not taken back.
        gone: Those that were.
    """

    def __init__(self, crowd: Crowd, match_id: UUID, token: str) -> None:
        self._crowd, self._match, self._token = crowd, match_id, token
        self.told: list[CommentAnswer] = []
        self.stands: dict[str, str] = {}
        self.gone: set[str] = set()

    @property
    def stream(self) -> str:
        """Where it is all said."""
        return stream_of_commentary(self._match)

    async def run(self) -> None:
        """Say a few things."""
        chance = self._crowd.chance
        with suppress(GaveUp):
            for number in range(chance.randint(1, SAYS_MAX)):
                await asyncio.sleep(chance.uniform(*BETWEEN_S))
                said = SaidComment(1, f"well bid, {number}", "en")
                made = await self._do(
                    "make", lambda held, ask, said=said: held.make(self._match, self._token, said, ask)
                )
                self.stands[made.comment] = said.text
                if chance.random() < TAKES_BACK:
                    await self._withdraw(made.comment)

    async def _withdraw(self, comment: str) -> None:
        def does(held: CommentHandler, ask: CommandMetadata) -> Any:
            return held.withdraw(self._match, self._token, UUID(comment), "other", ask)

        await self._do("withdraw", does)
        del self.stands[comment]
        self.gone.add(comment)

    async def _do(self, kind: str, does: Any) -> CommentAnswer:
        """Have it stored, and ask for it once more."""
        fingerprint = hashlib.sha256(kind.encode()).digest()
        ask = CommandMetadata(scope_of(self._token), self._crowd.key(), fingerprint)
        self._crowd.asked.add(ask.command)

        async def asked(program: HouseProgram) -> CommentAnswer:
            assert program.dealing is not None, "a dealer was asked"
            answer: CommentAnswer = await does(program.dealing.beyond.comments, ask)
            return answer

        answer = await self._crowd.ask_twice(f"{kind} of a comment", asked)
        self.told.append(answer)
        return answer

    async def check(self, store: EventStore, house: CommandHandler, lines: list[bytes]) -> None:
        """Hold what stands there against what its author was told."""
        world = self._crowd.world
        due = len(self.told) + 1  # the first says what all of it is about
        world.hold(len(lines) == due, f"{self.stream} has {len(lines)} lines in place of {due}")
        for answer in self.told:
            there = hashlib.sha256(lines[answer.version - 1]).hexdigest() if answer.version <= len(lines) else None
            world.hold(there == answer.head, "an answer about a comment names another line")
        queries = CommentQueries(store, house)
        shown = await queries.comments(self._match)
        words = {each.comment: each.text for each in shown if each.text is not None}
        world.hold(words == self.stands, f"{self.stream} shows other words than were said")
        written = await queries.load(self._match)
        known = {} if written is None else written.commentary.comments
        left = await store.words(self.stream, [known[each].text for each in sorted(self.gone) if each in known])
        world.hold(not left, "words that were taken back are kept")
