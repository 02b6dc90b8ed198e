"""Nonsense by the thousand: so many inputs at one door of one house after the other, and what has to hold meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Protocol

from services.cli.operating.until_stopped import event_loop
from services.local.nats import EmbeddedNats
from tests.malformed.bus_door import BusDoor
from tests.malformed.house import Heard, House, a_house
from tests.malformed.http_door import HttpDoor
from tests.malformed.people import People, Play
from tests.malformed.raw_door import RawDoor
from tests.malformed.socket_door import SocketDoor
from tests.malformed.tally import Tally

OF_HOUSE: Final = 2_000
"""How many inputs one house is asked; the next has none of what was kept here."""
EVERY: Final = 250
"""After how many of them it is looked at as a whole."""


class Door(Protocol):
    """A way in.

    Attributes:
        name: What it is called.
        at_once: How many inputs are sent beside each other.
    """

    name: str
    at_once: int

    async def begin(self) -> None:
        """Get ready."""

    async def send(self, numbers: range) -> int:
        """Send these inputs, judge what comes back, and return how many may have led to something that is kept."""


DOORS: Final[dict[str, Callable[[House, People, Tally], Door]]] = {
    "http": HttpDoor,
    "raw": RawDoor,
    "socket": SocketDoor,
    "bus": BusDoor,
}


class Attack:
    """Inputs at one door of one house."""

    def __init__(self, house: House, people: People, door: Door, tally: Tally) -> None:
        self._house, self._door, self._tally = house, door, tally
        self._play = Play(people)
        self._touched: set[str] = set()
        self._lengths: dict[str, int] = {}
        self._digest: str | None = None

    async def run(self, numbers: range) -> None:
        """Send all of these."""
        await self._door.begin()
        await self._look()
        for start in range(numbers.start, numbers.stop, EVERY):
            part = range(start, min(start + EVERY, numbers.stop))
            for first in range(part.start, part.stop, self._door.at_once):
                await self._send(range(first, min(first + self._door.at_once, part.stop)))
            await self._look(part)

    async def _send(self, numbers: range) -> None:
        """Send a few, and see that what was refused has left nothing."""
        store = self._house.store
        before = store.mark()
        with self._tally.timed(f"{self._door.name} {numbers}", alone=len(numbers) == 1) as too_slow:
            accepted = await self._door.send(numbers)
        if too_slow:
            accepted += await self._send_apart(numbers)
        self._tally.inputs += len(numbers)
        if accepted:
            self._tally.accepted += accepted
            self._digest = None
        if accepted:
            # Of what got no answer, none tells when it is done.
            await self._house.settle()
        if store.mark() == before:
            return
        lengths = store.lengths()
        moved = {stream for stream, length in lengths.items() if self._lengths.get(stream) != length}
        if accepted:
            self._touched |= moved
        elif not moved or moved - self._touched:
            self._tally.find(f"{self._door.name} {numbers} were refused and have left {moved}: {before} {store.mark()}")
        self._lengths = lengths

    async def _send_apart(self, numbers: range) -> int:
        """Send again what has taken long together, to find out which of them it is."""
        accepted = 0
        for number in numbers:
            with self._tally.timed(f"{self._door.name} {number}"):
                accepted += await self._door.send(range(number, number + 1))
        return accepted

    async def _look(self, numbers: range = range(0)) -> None:
        """See that the house is as it was, and goes on."""
        await self._house.settle()
        store, told = self._house.store, f"{self._door.name} {numbers}"
        if self._digest not in {None, store.digest()}:
            self._tally.find(f"{told} have changed something that is kept")
        left = await self._house.close_all()
        if any(left.values()):
            self._tally.find(f"{told} leave open {left}")
        try:
            await self._play.move()
        except AssertionError as fault:
            self._tally.find(f"{told}: nobody plays on: {fault}")
        self._tally.moves += 1
        await self._house.settle()
        for line in self._house.heard.errors:
            self._tally.find(f"{told} lead to a line of level error: {line}")
        self._house.heard.errors.clear()
        self._lengths, self._digest = store.lengths(), store.digest()


def attack(door: str, numbers: range, tally: Tally) -> None:
    """Send these inputs to houses of their own, one after the other."""
    with asyncio.Runner(loop_factory=event_loop) as runner:
        for start in range(numbers.start, numbers.stop, OF_HOUSE):
            runner.run(_at_one_house(door, range(start, min(start + OF_HOUSE, numbers.stop)), tally))


async def _at_one_house(door: str, numbers: range, tally: Tally) -> None:
    heard = Heard()
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="truecup-")))
        stack.enter_context(heard.listening())
        nats_url = await _bus(stack, folder) if door == BusDoor.name else None
        house = await stack.enter_async_context(a_house(heard, folder, nats_url))
        people = People(house)
        await people.come()
        await Attack(house, people, DOORS[door](house, people, tally), tally).run(numbers)
    for line in heard.errors:
        tally.find(f"{door} {numbers}: a line of level error as the house goes down: {line}")


async def _bus(stack: AsyncExitStack, folder: Path) -> str:
    server = EmbeddedNats(folder / "nats")
    await server.start()
    stack.push_async_callback(server.stop)
    return server.url
