"""Links: the way of one life of a node to the store or the bus, on which calls and answers are held up or lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context
from typing import Any, Final, Literal

from msgspec.structs import asdict

from infra.store import Unavailable
from tests.simulation.faults import Profile
from tests.simulation.world import Life, World

Way = Literal["store", "bus"]
NEAR_MIN_S: Final = 0.0002
NEAR_SPAN_S: Final = 0.0018
"""How long a message takes as a rule, one way: so much at least, and up to so much more."""
LATE_S: Final = 0.5
"""How late at most a call comes to the store that was said not to be done."""
SLOW_S: Final = (0.1, 8.0)
"""How long a call of the store takes that is slow."""
PATIENCE_S: Final = {"store": 6.0, "bus": 2.0}
"""How long an answer is waited for, as `infra` does."""


class Weather:
    """What the network is like: the profile until the storm is over, and which nodes are cut off from what."""

    def __init__(self, world: World, profile: Profile) -> None:
        self.world = world
        self.profile = profile
        self._likely = {name: likely for name, likely in asdict(profile).items() if name not in {"name", "storm_s"}}
        self._cut: dict[tuple[str, Way], float] = {}

    def happens(self, fault: str) -> bool:
        """Report whether a fault happens to this call or message."""
        likely, world = self._likely[fault], self.world
        return likely > 0 and world.loop.now < self.profile.storm_s and world.fault(fault, likely)

    def part(self, node: str, way: Way, for_s: float) -> None:
        """Cut a node off for so many seconds."""
        self._cut[node, way] = self.world.loop.now + for_s

    def is_cut(self, node: str, way: Way) -> bool:
        """Report whether a node is cut off."""
        return (node, way) in self._cut and self._cut[node, way] > self.world.loop.now

    def near_s(self) -> float:
        """Return how long one message takes."""
        return NEAR_MIN_S + NEAR_SPAN_S * self.world.chance.random()


class Link:
    """One way of one life."""

    def __init__(self, weather: Weather, life: Life, way: Way) -> None:
        self._weather = weather
        self._life = life
        self._way: Way = way
        self._nowhere = Context()

    async def call(self, name: str, work: Callable[[], Any], *, writes: bool) -> Any:
        """Have something done over there, and return what came of it; a life that ends takes nothing back.

        Raises:
            Unavailable: It was not done, or nobody knows.
        """
        weather, loop = self._weather, self._weather.world.loop
        if weather.world.over:
            raise asyncio.CancelledError
        answer: asyncio.Future[Any] = loop.create_future()
        out_s = weather.near_s()
        if weather.is_cut(self._life.node, self._way):
            weather.world.faults["cut off"] += 1
            self._lose_patience(answer)
        elif weather.happens("refused"):
            loop.call_later(out_s, self._refuse, answer, context=self._nowhere)
        elif writes and weather.happens("late"):
            loop.call_later(out_s, self._refuse, answer, context=self._nowhere)
            late_s = out_s + weather.world.chance.uniform(0.0, LATE_S)
            loop.call_later(late_s, self._arrive, name, work, None, context=self._nowhere)
        else:
            if weather.happens("slow"):
                out_s += weather.world.chance.uniform(*SLOW_S)
                self._lose_patience(answer)
            loop.call_later(out_s, self._arrive, name, work, answer, context=self._nowhere)
        return await answer

    def _lose_patience(self, answer: asyncio.Future[Any]) -> None:
        """Wait for this answer no longer than `infra` does."""
        self._weather.world.loop.call_later(PATIENCE_S[self._way], self._give_up, answer, context=self._nowhere)

    def _arrive(self, name: str, work: Callable[[], Any], answer: asyncio.Future[Any] | None) -> None:
        """Do it over there; of a node that was killed meanwhile it may have been on its way, or not."""
        weather, loop = self._weather, self._weather.world.loop
        if not self._life.alive and weather.world.chance.random() < 0.5:
            return
        weather.world.tell(f"{self._life.node} {self._way} {name}")
        try:
            made = work()
        except Exception as trouble:  # noqa: BLE001 - what the store takes for impossible is a fault of the service
            weather.world.violate(f"the {self._way} was asked for what cannot be: {name}: {trouble!r}")
            return
        if answer is None:
            return
        if weather.is_cut(self._life.node, self._way) or weather.happens("lied"):
            loop.call_later(weather.near_s(), self._refuse, answer, context=self._nowhere)
        else:
            loop.call_later(weather.near_s(), _settle, answer, made, context=self._nowhere)

    def _give_up(self, answer: asyncio.Future[Any]) -> None:
        if not answer.done():
            answer.set_exception(Unavailable(f"the {self._way} does not answer in time"))

    def _refuse(self, answer: asyncio.Future[Any]) -> None:
        if not answer.done():
            answer.set_exception(Unavailable(f"the {self._way} does not answer"))


def _settle(answer: asyncio.Future[Any], made: Any) -> None:
    if not answer.done():
        answer.set_result(made)
