"""Latency from a bid being sent until a spectator's stream has its frame."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from services.cli.bench.clients.tables import BenchTable
from services.cli.bench.clients.wire import Wire
from services.cli.bench.sheets.figures import Figure, figure

SNAPSHOT: Final = b'{"snapshot":'
FRAME: Final = b'{"version":'
"""How the lines of a stream begin; between them are the lengths of chunks."""
LATE_S: Final = 60.0
"""How long spectators may be behind after a heavy load; they catch up before anything is timed."""
DEAL_S: Final = 0.01
BIDS: Final = 60
HOPS: Final = 200
"""Bids of a repetition, and bare hops beside them, of a bench that measures as long as it does unless asked."""


class Spectator:
    """Reads a match's stream and notes when each version came.

    Attributes:
        there: Set once the stream has begun: what happens from then on comes as frames.
    """

    def __init__(self, wire: Wire) -> None:
        """Read over this connection."""
        self._wire = wire
        self._came: dict[int, asyncio.Future[float]] = {}
        self.there = asyncio.Event()

    async def read(self) -> None:
        """Read until cancelled, or until the stream ends."""
        while line := await self._wire.line():
            if line.startswith(SNAPSHOT):
                self.there.set()
            elif line.startswith(FRAME):
                version = int(line[len(FRAME) : line.index(b",")])
                self.when(version).set_result(asyncio.get_running_loop().time())

    def when(self, version: int) -> asyncio.Future[float]:
        """Return when this version came, or will have come."""
        return self._came.setdefault(version, asyncio.get_running_loop().create_future())


def in_time(count: int, seconds: float, usual_s: float) -> int:
    """Return how many of so many there are in a bench that measures longer or shorter than usual; one at least."""
    return max(1, round(count * seconds / usual_s))


async def bid_to_spectator(url: str, table: BenchTable, bids: int) -> Figure:
    """Measure the delay of so many bids, one after the other; a first one is not counted, while spectators catch up."""
    clock = asyncio.get_running_loop().time
    wire, watching = await Wire.to(url, client=0), await Wire.to(url, client=1)
    await watching.follow(f"{table.path}/stream")
    spectator = Spectator(watching)
    reading = asyncio.create_task(spectator.read())
    async with asyncio.timeout(LATE_S):
        await spectator.there.wait()
    took: list[float] = []
    begun = clock()
    while len(took) <= bids:
        if not await table.ready(wire):
            await asyncio.sleep(DEAL_S)
            continue
        before = clock()
        version = await table.act(wire)
        if version is not None:
            async with asyncio.timeout(LATE_S):
                took.append(await spectator.when(version) - before)
    reading.cancel()
    with suppress(asyncio.CancelledError):
        await reading
    await asyncio.gather(wire.close(), watching.close())
    return figure(took[1:], clock() - begun - took[0])
