"""The bus as one life of a node reaches it: frames, pokes and questions that are lost, doubled and overtake each other.

What a program sends itself it hears before the bus has it, as over NATS.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextvars import Context, copy_context
from functools import partial
from typing import Any

from infra.feed import (
    CrowdHeard,
    FrameHeard,
    ListenedSeat,
    ListenersHeard,
    Listening,
    LookHeard,
    Placed,
    Poked,
    SaidHeard,
    Told,
)
from infra.feed.ears import Ear, Ears
from infra.feed.memory import MemoryFeed, MemoryListening
from infra.handoff import ANSWER_S, Answers
from infra.handoff.rota import chosen
from infra.store import Unavailable
from tests.simulation.link import Link, Weather
from tests.simulation.store import done_now
from tests.simulation.world import Life

HELD_S = (0.01, 0.6)
"""For how long a message is held up that others overtake."""


class SharedFeed(MemoryFeed):
    """What all nodes share: the bus itself.

    Attributes:
        published: The positions of each shard that were ever published.
    """

    def __init__(self) -> None:
        super().__init__()
        self.published: defaultdict[int, set[int]] = defaultdict(set)

    async def publish(self, shard: int, frames: Sequence[Placed]) -> int:
        self.published[shard].update(frame.position for frame in frames)
        return await super().publish(shard, frames)

    def wipe(self) -> None:
        """Forget every frame, as a server that has lost its disk."""
        self._last.clear()
        self.kept.clear()


class NodeFeed:
    """The feed of one life."""

    def __init__(self, weather: Weather, life: Life, shared: MemoryFeed) -> None:
        self._weather = weather
        self._life = life
        self._shared = shared
        self._ears = Ears()
        self._link = Link(weather, life, "bus")

    @property
    def connected(self) -> bool:
        return not self._weather.is_cut(self._life.node, "bus")

    async def trouble(self) -> str | None:
        return None

    async def _call(self, name: str, work: Callable[[], Any], *, writes: bool = True) -> Any:
        return await self._link.call(name, lambda: done_now(work()), writes=writes)

    def _heard(self, heard: Callable[..., None]) -> Callable[..., None]:
        """Return what is given to the bus so that this is told what it brings, some of it, in some order."""
        context = copy_context()
        return lambda *told: self._bring(context, partial(heard, *told))

    def _bring(self, context: Context, told: Callable[[], None]) -> None:
        weather, loop = self._weather, self._weather.world.loop
        if not self._life.alive or weather.is_cut(self._life.node, "bus") or weather.happens("dropped"):
            return
        times = 2 if weather.happens("doubled") else 1
        for _ in range(times):
            after_s = weather.world.chance.uniform(*HELD_S) if weather.happens("held") else weather.near_s()
            loop.call_later(after_s, told, context=context)

    # ---- frames -----------------------------------------------------------------------------

    async def last_position(self, shard: int) -> int | None:
        found: int | None = await self._call("last_position", partial(self._shared.last_position, shard), writes=False)
        return found

    async def publish(self, shard: int, frames: Sequence[Placed]) -> int:
        for frame in frames:
            self._ears.say((frame.match, None), frame.version, frame.body)
        work = partial(self._shared.publish, shard, frames)
        kept: int = await self._call(f"publish {shard} {frames[0].position}+{len(frames)}", work)
        return kept

    async def forget(self, shard: int) -> None:
        await self._call("forget", partial(self._shared.forget, shard))

    async def tell(self, match: str, seat: int, version: int, body: bytes, kind: Told = "seat") -> None:
        self._ears.say((match, seat), version, body)
        await self._call(f"tell {seat} {version}", partial(self._shared.tell, match, seat, version, body, kind))

    async def listen(self, match: str, seat: int | None, heard: FrameHeard) -> Listening:
        ear, who = Ear(heard), (match, seat)
        listening = done_now(self._shared.listen(match, seat, self._heard(ear.bring)))
        self._ears.add(who, ear)

        def leave() -> None:
            self._ears.leave(who, ear)
            done_now(listening.stop())

        return MemoryListening(leave)

    # ---- what is said and looked at ---------------------------------------------------------

    async def say(self, match: str, body: bytes) -> None:
        await self._call("say", partial(self._shared.say, match, body))

    async def sayings(self, match: str, heard: SaidHeard) -> Listening:
        return await self._shared.sayings(match, self._heard(heard))

    async def poke(self, shard: int, position: int) -> None:
        await self._call(f"poke {shard} {position}", partial(self._shared.poke, shard, position))

    async def pokes(self, poked: Poked) -> Listening:
        return await self._shared.pokes(self._heard(poked))

    async def look(self, what: str, told: bytes = b"") -> None:
        await self._call("look", partial(self._shared.look, what, told))

    async def looks(self, looked: LookHeard) -> Listening:
        return await self._shared.looks(self._heard(looked))

    async def crowds(self, heard: CrowdHeard) -> Listening:
        return await self._shared.crowds(self._heard(heard))

    async def attend(self, seats: Sequence[ListenedSeat]) -> None:
        await self._call("attend", partial(self._shared.attend, seats))

    async def listeners(self, heard: ListenersHeard) -> Listening:
        return await self._shared.listeners(self._heard(heard))

    async def check(self) -> None:
        await self._call("check", self._shared.check, writes=False)

    async def close(self) -> None:
        """Say no goodbye: lives end by being killed."""


class Takers:
    """Those who answer questions, on all nodes."""

    def __init__(self) -> None:
        self.each: list[tuple[Life, Context, Answers]] = []

    def leave(self, taker: tuple[Life, Context, Answers]) -> None:
        """Let somebody answer no more."""
        self.each = [one for one in self.each if one is not taker]

    def alive(self) -> list[tuple[Life, Context, Answers]]:
        self.each = [taker for taker in self.each if taker[0].alive]
        return self.each


class NodeHandoff:
    """The handoff of one life: questions go to one of those who answer, and either way may be lost."""

    def __init__(self, weather: Weather, life: Life, takers: Takers) -> None:
        self._weather = weather
        self._life = life
        self._takers = takers

    async def ask(self, question: bytes, wait_s: float = ANSWER_S, about: str = "") -> bytes:
        weather, loop = self._weather, self._weather.world.loop
        if weather.world.over:
            raise asyncio.CancelledError
        there = self._heard()
        first = chosen(there, about) if about else weather.world.chance.choice(sorted(there) or [None])
        if first is None:
            await asyncio.sleep(weather.near_s())
            raise Unavailable("no dealer answers")
        taker, answer = there[first], loop.create_future()
        weather.world.tell(f"{self._life.node} asks {taker[0].node}")
        if not weather.happens("dropped"):
            loop.call_later(weather.near_s(), self._hand_over, taker, question, answer, context=taker[1])
        try:
            async with asyncio.timeout(wait_s):
                return bytes(await answer)
        except TimeoutError as trouble:
            raise Unavailable("no dealer answered in time") from trouble

    def is_of_another(self, about: str) -> bool:
        return chosen(self._heard(), about) not in {None, self._life.node}

    def _heard(self) -> dict[str, tuple[Life, Context, Answers]]:
        """Return who answers, by node, as far as one hears of it here."""
        if self._weather.is_cut(self._life.node, "bus"):
            return {}
        nodes = {taker[0].node: taker for taker in self._takers.alive()}
        return {node: taker for node, taker in nodes.items() if not self._weather.is_cut(node, "bus")}

    def _hand_over(self, taker: tuple[Life, Context, Answers], question: bytes, answer: asyncio.Future[bytes]) -> None:
        life, context, answers = taker
        if life.alive:
            loop = self._weather.world.loop
            loop.create_task(self._answer(answers, question, answer), context=context)

    async def _answer(self, answers: Answers, question: bytes, answer: asyncio.Future[bytes]) -> None:
        said, weather = await answers(question), self._weather
        if not (weather.is_cut(self._life.node, "bus") or weather.happens("dropped")):
            weather.world.loop.call_later(weather.near_s(), _answered, answer, said)

    async def take(self, answers: Answers) -> Listening:
        taker = (self._life, copy_context(), answers)
        self._takers.each.append(taker)
        return MemoryListening(lambda: self._takers.leave(taker))


def _answered(answer: asyncio.Future[bytes], said: bytes) -> None:
    if not answer.done():
        answer.set_result(said)
