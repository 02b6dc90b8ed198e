"""A story: what people ask a house for, told as it happens, so that another life of the house can go on with it.

A step has a name, a key and a body that were told before it was asked for, and an answer that was told once it came.
What was asked for and never answered is asked for again, with the same key; what was answered is answered as before.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from itertools import count
from random import Random
from typing import Any, Final
from uuid import UUID

import msgspec
from msgspec import Struct

from domain import commands
from domain.errors import Refused
from infra.store import Unavailable
from projections.view import View
from services.matches.requests import ANONYMOUS, Answer, CommandMetadata, scope_of
from services.program.app import HouseProgram
from tests.domain.playing import commands_for

LOOK_S: Final = 0.004
"""How long somebody waits who can do nothing."""
AGAIN_S: Final = 0.05
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
Play = commands.Bid | commands.Challenge
"""What people of this house do when it is their turn: what every one of its games has."""
Ask = Callable[[CommandMetadata], Awaitable[Answer]]


class Asked(Struct, frozen=True, tag="asked"):
    """Somebody is about to ask for something."""

    step: str
    body: Play | None = None


class Told(Struct, frozen=True, tag="told"):
    """Somebody was answered: these bytes, for this command of this match."""

    step: str
    stream: str
    command: bytes
    answer: bytes


class Denied(Struct, frozen=True, tag="denied"):
    """A rule has said no, which nobody is to remember."""

    step: str
    code: str


class Seen(Struct, frozen=True, tag="seen"):
    """A spectator was shown a frame: the hash of its bytes."""

    match: str
    version: int
    frame: bytes


Telling = Asked | Told | Denied | Seen


class Story:
    """What has been asked, answered and seen so far, by all lives of a house.

    Attributes:
        name: What tells its keys from those of others.
        asked: What was asked for, by its step.
        told: What was answered, by its step.
        denied: What a rule said no to.
        seen: What spectators were shown, by match and version.
    """

    def __init__(self, name: str) -> None:
        """Begin a story of this name, which no other story of its database has: its keys bear it."""
        self.name = name
        self.asked: dict[str, Asked] = {}
        self.told: dict[str, Told] = {}
        self.denied: dict[str, Denied] = {}
        self.seen: dict[str, dict[int, bytes]] = {}

    def add(self, told: Telling) -> bool:
        """Take up what is told next, and report whether it goes with what was told before."""
        if isinstance(told, Asked):
            return self.asked.setdefault(told.step, told) == told
        if isinstance(told, Told):
            return self.told.setdefault(told.step, told) == told
        if isinstance(told, Denied):
            self.denied[told.step] = told
            return told.step not in self.told
        frames = self.seen.setdefault(told.match, {})
        return frames.setdefault(told.version, told.frame) == told.frame

    @property
    def matches(self) -> list[str]:
        """The matches that somebody was told of, in the order of their opening."""
        return list(dict.fromkeys(told.stream.removeprefix("match/") for told in self.told.values()))


class People:
    """Those who ask one life of a house."""

    def __init__(self, program: HouseProgram, seed: int, story: Story, tell: Callable[[Telling], None]) -> None:
        """Go on with this story; whatever happens is told, and stands in it then."""
        self._matches = program.matches()
        self._streams = program.streams
        self._seed = seed
        self._story = story
        self._tell = tell
        self._repeated: set[str] = set()
        self._rules = Random(f"{seed} rules").choice(RULES)

    async def go_on(self, *, repeats_all: bool) -> None:
        """Play two matches to the end, the second with those of the first, and ask again for what was answered.

        All of it is asked for again, or the newest: what was answered last is what a kill may have torn.
        """
        steps = list(self._story.told)
        self._repeated = set(steps if repeats_all else steps[-2:])
        async with asyncio.TaskGroup() as group:
            opened = await self._ask("open", None, lambda ask: self._matches.open(dict(self._rules), ask))
            match = UUID(opened.match)
            group.create_task(self._watch(match))
            tokens = [await self._sit(match, name) for name in NAMES[: self._rules["seats"]]]
            host = self._matches.for_token(_token(opened))
            await self._ask("start", _token(opened), lambda ask: host.start(match, ask))
            await self._play("first", match, tokens)
            again = [await self._sit_again(match, token, name) for token, name in zip(tokens, NAMES, strict=False)]
            follows = UUID(again[0].match)
            group.create_task(self._watch(follows))
            await self._play("second", follows, [_token(seated) for seated in again])

    async def _sit(self, match: UUID, name: str) -> str:
        return _token(await self._ask(f"join {name}", None, lambda ask: self._matches.join(match, name, "server", ask)))

    async def _sit_again(self, match: UUID, token: str, name: str) -> Answer:
        seat = self._matches.for_token(token)
        return await self._ask(f"{AGAIN} {name}", token, lambda ask: seat.rematch(match, ask))

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
            await self._ask(step, token, lambda ask: seat.submit(match, play, ask), play)

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

    async def _ask(self, step: str, token: str | None, ask: Ask, play: Play | None = None) -> Answer:
        """Return the answer to a step, which may have come to a life before, and is asked for again now and then."""
        known = self._story.told.get(step)
        if known is not None and step not in self._repeated:
            return msgspec.json.decode(known.answer, type=Answer)
        identity = await self._identity(step, token)
        if known is None and step not in self._story.asked:
            self._tell(Asked(step, play))
        try:
            answer = await self._answered(ask, identity)
        except Refused as no:
            self._tell(Denied(step, no.code))
            raise
        stored = b"" if step.startswith(AGAIN) else identity.command
        self._tell(Told(step, f"match/{answer.match}", stored, msgspec.json.encode(answer)))
        return answer

    async def _answered(self, ask: Ask, identity: CommandMetadata) -> Answer:
        """Ask until there is an answer, with the same key."""
        while True:
            try:
                return await ask(identity)
            except Unavailable:
                await asyncio.sleep(AGAIN_S)

    async def _identity(self, step: str, token: str | None) -> CommandMetadata:
        """Return who asks, and with which key, as the interface finds out."""
        fingerprint, key = hashlib.sha256(step.encode()).digest(), f"{self._story.name} {step}"
        if token is None:
            return CommandMetadata(ANONYMOUS, key, fingerprint)
        bearer = await self._matches.bearer(token)
        assert bearer is not None, "a token that was given out is not known"
        opener = bearer.role == "host"
        return CommandMetadata(scope_of(token), key, fingerprint, None, bearer.holder, None, opener)

    async def _watch(self, match: UUID) -> None:
        """Follow a match as a spectator, from where lives before were followed to, until it is over."""
        while True:
            seen = self._story.seen.get(str(match), {})
            stream = self._streams.stream(match, None, max(seen, default=0), self._matches)
            with suppress(Unavailable):
                async with aclosing(stream) as items:
                    async for item in items:
                        if item.kind == "frame":
                            assert item.version is not None
                            self._tell(Seen(str(match), item.version, hashlib.sha256(item.body).digest()))
                        elif item.kind == "ended":
                            return
            await asyncio.sleep(AGAIN_S)


def _token(answer: Answer) -> str:
    assert answer.token is not None, "it came with a token"
    return answer.token
