"""Nodes: what the program wires, on a simulated ground; killed at any await, and started again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import Context, copy_context
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from infra.config import Config
from infra.store import Unavailable
from services.matches.secrets.keys import Keys, keys_of
from services.program.app import HouseProgram, program_of
from services.program.aside import AnalysesAside
from services.program.grounds import Ground, HouseStore
from services.program.member import Member
from tests.simulation.bus import NodeFeed, NodeHandoff, SharedFeed, Takers
from tests.simulation.ears import Ears
from tests.simulation.link import Weather
from tests.simulation.loop import OWNER
from tests.simulation.store import NodeStore, SharedStore
from tests.simulation.witnesses import Witnesses
from tests.simulation.world import Life, NodeClock, World

KEY: Final = "5e" * 32
ORIGIN: Final = "simulated.example/log"
QUORUM: Final = "1"
"""How many witnesses have to have seen a checkpoint, where there are any."""
NOWHERE: Final = Path("nowhere")
"""Where files would be, if any were written."""
START_S: Final = 0.5
"""How long a supervisor waits before it starts a program again."""
ANSWER_S: Final = 10.0
"""How long a client waits for an answer."""
T = TypeVar("T")


class Lost(Exception):  # noqa: N818 - named for what happened
    """The client got no answer: what it asked for may be done."""


class Shared:
    """What all nodes share.

    Attributes:
        weather: The network between them.
        witnesses: Who has to see the transparency log.
        store: The database.
        feed: The bus.
        ears: Addresses of others.
    """

    def __init__(self, weather: Weather, witnesses: int) -> None:
        self.weather = weather
        self.witnesses = Witnesses(weather, witnesses, ORIGIN, house_keys())
        self.store = SharedStore(weather.world.loop.time, weather.world.hold)
        self.feed = SharedFeed()
        self.takers, self.ears = Takers(), Ears(weather)


@cache
def house_keys() -> Keys:
    """Return the keys of the house, made once."""
    return keys_of(Config(key=KEY), NOWHERE)


class Node:
    """One process, through all its lives.

    Attributes:
        name: What it is called.
        roles: What it does.
        life: The life it leads; None while it is dead.
        program: What it runs, once it is there.
        lives: Those it has led.
    """

    def __init__(self, name: str, roles: str, shared: Shared, pause_ms: int, slow_ms: int = 0) -> None:
        """Be dead; from `slow_ms` on it tells of slow commands, which only a house does that has one clock for all."""
        self.name = name
        self.roles = roles
        self.life: Life | None = None
        self.program: HouseProgram | None = None
        self.lives: list[Life] = []
        self.clock = NodeClock(shared.weather.world.loop)
        self._config = Config(
            key=None if roles == "api" else KEY,
            roles=roles,
            origin=ORIGIN,
            bot_pause_ms=pause_ms,
            slow_ms=slow_ms,  # such a line goes by the clock of the machine
            quorum=QUORUM if shared.witnesses.addresses else "all",
        )
        self._shared = shared
        self._context = Context()

    @property
    def world(self) -> World:
        return self._shared.weather.world

    @property
    def answers(self) -> bool:
        """Whether it answers clients now."""
        return self.program is not None and "api" in self.roles

    def start(self) -> None:
        """Begin a life, with no memory but the store."""
        self.world.tell(f"{self.name} starts")
        self.life = life = Life(self.name, self.clock.house())
        self.lives.append(life)
        self._context = copy_context()
        self._context.run(OWNER.set, life)
        self._spawn(self._live(life))

    def _spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        return self.world.loop.create_task(work, context=self._context.copy())

    def kill(self) -> None:
        """End the life at whatever it waits for: nothing of it goes on, and nothing is cleaned up."""
        if self.life is None:
            return
        self.world.tell(f"{self.name} is killed")
        self.life.end(self.world.loop.time())
        self.life = self.program = None
        self.world.loop.freeze()

    async def _live(self, life: Life) -> None:
        feed, store = NodeFeed(self._shared.weather, life, self._shared.feed), self._store(life)
        handoff = NodeHandoff(self._shared.weather, life, self._shared.takers)
        ground = Ground(store, feed, handoff, self._shared.witnesses.addresses, self._shared.witnesses)
        program = await self._begin(ground)
        works = [asyncio.ensure_future(work) for work in program.works()]
        self.program, life.began_s = program, self.world.loop.time()
        done, _ = await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
        if not self.world.over:
            self.world.violate(f"a work of {self.name} has ended: {[_end_of(work) for work in done]}")

    async def _begin(self, ground: Ground) -> HouseProgram:
        """Return the program once it has begun, as a supervisor starts it until it does."""
        keys = None if self.roles == "api" else house_keys()
        while True:
            try:
                return await program_of(self._config, Member(), keys, ground, AnalysesAside(NOWHERE))
            except Unavailable:
                await asyncio.sleep(START_S)

    def _store(self, life: Life) -> HouseStore:
        return cast(HouseStore, NodeStore(self._shared.weather, life, self._shared.store))

    async def call(self, ask: Callable[[HouseProgram], Awaitable[T]]) -> T:
        """Ask this node, as a client does over HTTP.

        Raises:
            Lost: There is no answer.
        """
        life, program, weather = self.life, self.program, self._shared.weather
        if life is None or program is None:
            await asyncio.sleep(weather.near_s())
            raise Lost("nobody is there")

        async def answered() -> T:
            return await ask(program)

        await asyncio.sleep(weather.near_s())
        asking = self._spawn(answered()) if life.alive else None
        if asking is not None:
            asking.add_done_callback(_seen)
        if asking is None or not await self._wait(asking, life, ANSWER_S):
            raise Lost("the connection was lost")
        hung_up = weather.happens("hung_up")
        try:
            answer = asking.result()
        except asyncio.CancelledError as ended:
            raise Lost("the connection was lost") from ended
        if hung_up:
            raise Lost("the answer was lost")
        return answer

    async def follow(
        self, read: Callable[[HouseProgram, asyncio.Future[None]], Coroutine[Any, Any, None]], leaves_s: float
    ) -> None:
        """Have something read here until it ends, the reader leaves, or the node dies.

        Raises:
            Lost: The connection was.
        """
        life, program, loop = self.life, self.program, self.world.loop
        if life is None or program is None:
            raise Lost("nobody is there")
        over: asyncio.Future[None] = loop.create_future()
        loop.call_later(leaves_s, _leave, over)
        reading = self._spawn(read(program, over))
        reading.add_done_callback(_seen)
        if await self._wait(reading, life):
            return reading.result()
        raise Lost("the connection was lost")

    async def _wait(self, asking: asyncio.Task[Any], life: Life, wait_s: float | None = None) -> bool:
        """Return whether an answer has come, once it has, or its node has died, or it has taken too long."""
        ended: asyncio.Future[None] = self.world.loop.create_future()
        life.ends[ended] = None
        await asyncio.wait([asking, ended], timeout=wait_s, return_when=asyncio.FIRST_COMPLETED)
        life.ends.pop(ended)
        return life.alive and asking.done()


def _seen(asked: asyncio.Future[Any]) -> None:
    """Take note of what nobody waits for any more."""
    if not asked.cancelled():
        asked.exception()


def _leave(over: asyncio.Future[None]) -> None:
    if not over.done():
        over.set_result(None)


def _end_of(work: asyncio.Future[Any]) -> str:
    return "cancelled" if work.cancelled() else repr(work.exception())
