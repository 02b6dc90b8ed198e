"""The others, as a program: an honest client that notes how long it waits for everything, until it is told to stop.

Requests are due at fixed times, whether or not those before them are answered, and are timed from when they were due:
a service that stands still for a second keeps everybody waiting who would have come in that second.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from math import inf
from typing import Final, Literal

from msgspec import Struct, to_builtins

from services.cli.bench.clients.tables import BenchTable, open_tables
from services.cli.bench.clients.wire import Wire
from services.cli.bench.delays import FRAME, SNAPSHOT
from services.cli.exits import FINE
from services.cli.screen import say, say_json
from services.client.house import CannotDo

RequestKind = Literal["health", "view", "command", "return", "frame"]

PLAYING: Final = "playing"
"""Printed when the client has sat down and has begun."""
TABLES: Final = 4
"""So many that one of them is always dealt."""
EVERY_S: Final[dict[RequestKind, float]] = {"health": 1 / 25, "view": 1 / 15, "command": 1 / 15, "return": 1.0}
"""How often each is asked: together more than a person does, and less than any bound on one asker."""
ANSWER_S: Final = 30.0
"""After which a client hangs up."""
FINISH_S: Final = 4.0
"""How long it goes on when told to stop, for what was due before; who told it waits no longer than five."""
AGAIN_S: Final = 0.1
FRAME_S: Final = 0.01
"""How often it is looked whether a frame has come."""
OK: Final = 200

HonestRequest = Callable[[Wire, float], Awaitable[bool]]
"""Asks over a connection for what was due at this time, and reports whether it was granted."""


class Sample(Struct, frozen=True, array_like=True):
    """One thing that was waited for.

    Attributes:
        kind: What: the process's health, the view of a match, a command, a seat's stream opened anew, the frame of a
            command on a stream that a seat holds.
        due: When, in seconds of the machine's monotonic clock.
        took_s: How long it took from then on, or has taken so far.
        granted: Whether it came, and was what had been asked for.
    """

    kind: RequestKind
    due: float
    took_s: float
    granted: bool


class Honest:
    """One player with some tables, who holds a seat's stream at the first of them."""

    def __init__(self, url: str, tables: list[BenchTable]) -> None:
        """Play at these tables."""
        self._url = url
        self._tables = tables
        self._turn = 0
        self._samples: list[Sample] = []
        self._acted: dict[int, float] = {}
        self._came: dict[int, float] = {}
        self._seen = 0
        self._end = inf

    async def run(self, told: asyncio.Event) -> list[Sample]:
        """Play until told to stop, and return what was waited for; what was due then and is still not there is lost."""
        asks: dict[RequestKind, HonestRequest] = {
            "health": self._health,
            "view": self._view,
            "command": self._command,
            "return": self._return,
        }
        holding = asyncio.create_task(self._hold_stream())
        asking = [asyncio.create_task(self._ask_on_time(kind, ask)) for kind, ask in asks.items()]
        await told.wait()
        self._end = _now()
        await asyncio.wait(asking, timeout=FINISH_S)
        with suppress(TimeoutError):
            # The frame of the last command may still be on its way.
            async with asyncio.timeout_at(self._end + FINISH_S):
                while not self._acted.keys() <= self._came.keys():
                    await asyncio.sleep(FRAME_S)
        for work in (holding, *asking):
            work.cancel()
        await asyncio.gather(holding, *asking, return_exceptions=True)
        return self._samples + self._frames()

    def _frames(self) -> list[Sample]:
        """Return how long after a command was due its frame came."""
        now = _now()
        return [
            Sample("frame", due, self._came.get(version, now) - due, version in self._came)
            for version, due in self._acted.items()
        ]

    def _note(self, kind: RequestKind, due: float, *, granted: bool) -> None:
        self._samples.append(Sample(kind, due, _now() - due, granted))

    async def _ask_on_time(self, kind: RequestKind, ask: HonestRequest) -> None:
        """Ask for a kind of thing at fixed times until the end, and late for what was due before the end."""
        wire: Wire | None = None
        due = _now()
        try:
            while due < self._end:
                await asyncio.sleep(max(0.0, due - _now()))
                wire, granted = await self._once(wire, ask, due)
                self._note(kind, due, granted=granted)
                due += EVERY_S[kind]
        finally:
            while due < self._end < inf:
                self._note(kind, due, granted=False)
                due += EVERY_S[kind]

    async def _once(self, wire: Wire | None, ask: HonestRequest, due: float) -> tuple[Wire | None, bool]:
        """Ask once, over a new connection if there is none, and return the connection if it is still good."""
        try:
            async with asyncio.timeout(ANSWER_S):
                wire = wire or await Wire.to(self._url)
                return wire, await ask(wire, due)
        except (OSError, EOFError, TimeoutError):
            if wire is not None:
                wire.abort()
            await asyncio.sleep(AGAIN_S)
            return None, False

    async def _health(self, wire: Wire, _due: float) -> bool:
        return await wire.drop("/health/live") == OK

    async def _view(self, wire: Wire, _due: float) -> bool:
        status, _ = await wire.ask("GET", self._tables[0].path, None, self._tables[0].tokens[1])
        return status == OK

    async def _command(self, wire: Wire, due: float) -> bool:
        """Act at the next table that is dealt."""
        while True:
            self._turn += 1
            table = self._tables[self._turn % len(self._tables)]
            try:
                if await table.ready(wire):
                    version = await table.act(wire)
                    if version is not None and table is self._tables[0]:
                        self._acted[version] = due
                    return version is not None
            except CannotDo:
                table.forget()
                return False
            except (OSError, EOFError, asyncio.CancelledError):
                table.forget()
                raise
            await asyncio.sleep(AGAIN_S / len(self._tables))

    async def _return(self, _wire: Wire, _due: float) -> bool:
        """Open a seat's stream over a connection of its own, as somebody does who comes back."""
        wire = await Wire.to(self._url)
        try:
            return await _begin(wire, self._tables[0])
        finally:
            wire.abort()

    async def _hold_stream(self) -> None:
        """Hold a seat's stream. One that breaks has shut a seat out, and is taken up again where it broke."""
        while True:
            try:
                await self._read_stream()
            except (OSError, EOFError):
                self._note("return", _now(), granted=False)
                await asyncio.sleep(AGAIN_S)

    async def _read_stream(self) -> None:
        """Read until the stream breaks.

        Raises:
            OSError, EOFError: It has.
        """
        wire = await Wire.to(self._url)
        try:
            await _begin(wire, self._tables[0], f"?after={self._seen}" if self._seen else "")
            while line := await wire.line():
                if line.startswith(FRAME):
                    self._seen = int(line[len(FRAME) : line.index(b",")])
                    self._came[self._seen] = _now()
        finally:
            wire.abort()
        raise EOFError


async def _begin(wire: Wire, table: BenchTable, after: str = "") -> bool:
    """Open a seat's stream, and report whether it has begun.

    Raises:
        EOFError: It ended before it began.
    """
    await wire.follow(f"{table.path}/stream{after}", table.tokens[1])
    if await wire.status() != OK:
        return False
    while line := await wire.line():
        if line.startswith(SNAPSHOT):
            return True
    raise EOFError


def _now() -> float:
    return asyncio.get_running_loop().time()


async def _play(url: str) -> list[Sample]:
    told = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, told.set)
    client = Honest(url, await open_tables(url, TABLES))
    say(PLAYING)
    return await client.run(told)


def main() -> None:
    """Play at the service of this address until interrupted, then print what was waited for on one line."""
    say_json(to_builtins(asyncio.run(_play(sys.argv[1]))))
    sys.exit(FINE)


if __name__ == "__main__":
    main()
