"""Players: two matches, the second a rematch of the first, a step after the other, and who watches them."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from itertools import count
from random import Random
from typing import Any, Final
from uuid import UUID

from domain.errors import Refused
from domain.match.record import PREFIX as MATCH
from infra.store import Unavailable
from projections.view import View
from services.matches.reads.frame_buffer import FrameSource
from services.matches.requests import ANONYMOUS, Answer, CommandMetadata, scope_of
from services.program.app import HouseProgram
from tests.crashpoints.asking import AGAIN_S, Asker
from tests.crashpoints.story import Asked, Eyes, Play, Seen, Story, Telling
from tests.domain.playing import commands_for

LOOK_S: Final = 0.004
"""How long somebody waits who can do nothing."""
SHORT: Final[dict[str, Any]] = {"game": "common_hand", "seats": 2, "pause_ms": 0}
RULES: Final[tuple[dict[str, Any], ...]] = (
    {**SHORT, "options": {"dice_per_player": 1}},
    {**SHORT, "options": {"dice_per_player": 1}, "deal_per": "round"},
    {**SHORT, "options": {"dice_per_player": 1}, "seats": 3},
    {**SHORT, "options": {"dice_per_player": 2}},
)
NAMES: Final = ("Ana", "Ben", "Cyd")
AGAIN: Final = "again"
"""How the steps begin that are several commands, none of which is stored under their own key."""


class Players(Asker):
    """Those at a table, its host and a spectator."""

    def __init__(self, program: HouseProgram, seed: int, story: Story, tell: Callable[[Telling], None]) -> None:
        """Go on with this story."""
        super().__init__(program, seed, story, tell)
        self._matches = program.matches()
        self._rules = Random(f"{seed} rules").choice(RULES)

    async def _run(self) -> None:
        """Play two matches to the end, the second with those of the first."""
        async with asyncio.TaskGroup() as group:
            opened = await self._do("open", None, lambda ask: self._matches.open(dict(self._rules), ask))
            match = UUID(opened.match)
            group.create_task(self._watch(match, None))
            tokens = [await self._sit(match, name) for name in NAMES[: self._rules["seats"]]]
            group.create_task(self._watch(match, tokens[0]))
            host = self._matches.for_token(_token(opened))
            await self._do("start", _token(opened), lambda ask: host.start(match, ask))
            await self._play("first", match, tokens)
            again = [await self._sit_again(match, token, name) for token, name in zip(tokens, NAMES, strict=False)]
            follows = UUID(again[0].match)
            for eyes in (None, _token(again[0])):
                group.create_task(self._watch(follows, eyes))
            await self._play("second", follows, [_token(seated) for seated in again])

    async def _sit(self, match: UUID, name: str) -> str:
        return _token(await self._do(f"join {name}", None, lambda ask: self._matches.join(match, name, "server", ask)))

    async def _sit_again(self, match: UUID, token: str, name: str) -> Answer:
        seat = self._matches.for_token(token)
        return await self._do(f"{AGAIN} {name}", token, lambda ask: seat.rematch(match, ask))

    async def _play(self, name: str, match: UUID, tokens: list[str]) -> None:
        """Do whatever may be done, seat by seat, until the match is over."""
        for number in count():
            step = f"{name} {number}"
            asked = self._story.asked.get(step) or await self._choose(step, match, tokens)
            if asked is None:
                return
            assert asked.body is not None
            token = tokens[asked.body.seat - 1]
            await self._submit(step, match, token, asked.body)

    async def _submit(self, step: str, match: UUID, token: str, play: Play) -> None:
        seat = self._matches.for_token(token)
        if step in self._story.denied:
            return
        with suppress(Refused):
            await self._do(step, token, lambda ask: seat.submit(match, play, ask), play)

    async def _choose(self, step: str, match: UUID, tokens: list[str]) -> Asked | None:
        """Return what a seat in turn asks for next, once there is one; None once the match is over."""
        chance = Random(f"{self._seed} {step}")
        while True:
            for seat, token in enumerate(tokens, start=1):
                view = await self._look(match, token)
                if view.phase == "finished":
                    return None
                if view.moves and view.turn == seat and view.dice_in_play:
                    # The tamest of each move: a match of two dice comes to its end soon.
                    tame = [commands_for(seat, move)[0] for move in view.moves]
                    return Asked(step, chance.choice([play for play in tame if isinstance(play, Play)]))
            await asyncio.sleep(LOOK_S)

    async def _look(self, match: UUID, token: str) -> View:
        bearer = await self._matches.bearer(token)
        assert bearer is not None, "a token that was given out is not known"
        return await self._matches.for_token(token).view(match, bearer.holder)

    async def _do(
        self,
        step: str,
        token: str | None,
        ask: Callable[[CommandMetadata], Awaitable[Answer]],
        play: Play | None = None,
    ) -> Answer:
        return await self._ask(
            step, await self._identity(step, token), ask, Answer, lambda told: f"{MATCH}{told.match}", play
        )

    def _stored_as(self, step: str, identity: CommandMetadata) -> bytes:
        return b"" if step.startswith(AGAIN) else identity.command

    async def _identity(self, step: str, token: str | None) -> CommandMetadata:
        """Return who asks, and with which key, as the interface finds out."""
        key, fingerprint = self._key(step)
        if token is None:
            return CommandMetadata(ANONYMOUS, key, fingerprint)
        bearer = await self._matches.bearer(token)
        assert bearer is not None, "a token that was given out is not known"
        opener = bearer.role == "host"
        return CommandMetadata(scope_of(token), key, fingerprint, None, bearer.holder, None, opener)

    async def _watch(self, match: UUID, token: str | None) -> None:
        """Follow a match, as a spectator or from a seat, from where lives before were followed to, until it is over."""
        eyes, viewer = Eyes(str(match), token or ""), None
        source: FrameSource = self._matches
        if token is not None:
            bearer, source = await self._matches.bearer(token), self._matches.for_token(token)
            assert bearer is not None, "a token that was given out is not known"
            viewer = bearer.holder
        while True:
            seen = self._story.seen.get(eyes, {})
            stream = self._program.streams.stream(match, viewer, max(seen, default=0), source)
            with suppress(Unavailable):
                async with aclosing(stream) as items:
                    async for item in items:
                        if item.kind == "frame":
                            assert item.version is not None
                            self._tell(Seen(eyes, item.version, hashlib.sha256(item.body).digest()))
                        elif item.kind == "ended":
                            return
            await asyncio.sleep(AGAIN_S)


def _token(answer: Answer) -> str:
    assert answer.token is not None, "it came with a token"
    return answer.token
