"""Clients that send one request after the other, and how long each was answered in."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from msgspec import Struct

from services.cli.bench.figures import Figure, figure
from services.cli.bench.tables import BenchTable
from services.cli.bench.wire import Wire

BARE: Final = "/bare"
DEAL_S: Final = 0.02
"""How long a client waits when every table of its is being dealt: each look costs the service as much as a command."""

LoadRequest = Callable[[Wire], Awaitable[float | None]]
"""Sends one request and returns how long it took, in seconds; None if it is not to be counted."""


class LoadAnswers(Struct, frozen=True):
    """How fast requests were answered, and how many."""

    figure: Figure
    count: int


async def commands(url: str, tables: Sequence[BenchTable], clients: int, seconds: float) -> LoadAnswers:
    """Measure durable commands: each client plays its share of the tables."""
    return await _measure(url, [_Turns(tables[number::clients]).ask for number in range(clients)], seconds)


async def bare(url: str, clients: int, seconds: float) -> LoadAnswers:
    """Measure the bare route."""
    return await _measure(url, [_bare] * clients, seconds)


async def _bare(wire: Wire) -> float:
    before = _now()
    await wire.ask("POST", BARE, {"type": "bid", "quantity": 1, "face": 2})
    return _now() - before


class _Turns:
    """The tables of one client, in turn."""

    def __init__(self, tables: Sequence[BenchTable]) -> None:
        self._tables = tables
        self._next = 0

    async def ask(self, wire: Wire) -> float | None:
        """Act at a table; looking for one is not part of what is timed."""
        table = await self._ready(wire)
        before = _now()
        version = await table.act(wire)
        return None if version is None else _now() - before

    async def _ready(self, wire: Wire) -> BenchTable:
        while True:
            for _ in self._tables:
                table = self._tables[self._next % len(self._tables)]
                self._next += 1
                if await table.ready(wire):
                    return table
            await asyncio.sleep(DEAL_S)


async def _measure(url: str, asks: Sequence[LoadRequest], seconds: float) -> LoadAnswers:
    wires = [await Wire.to(url, client=number) for number in range(len(asks))]
    begun = _now()
    took = await asyncio.gather(*(_client(wire, ask, begun + seconds) for wire, ask in zip(wires, asks, strict=True)))
    elapsed = _now() - begun
    for wire in wires:
        await wire.close()
    every = [one for client in took for one in client]
    return LoadAnswers(figure(every, elapsed), len(every))


async def _client(wire: Wire, ask: LoadRequest, until: float) -> list[float]:
    took: list[float] = []
    while _now() < until or not took:
        one = await ask(wire)
        if one is not None:
            took.append(one)
    return took


def _now() -> float:
    """Return the time of the running loop, in seconds."""
    return asyncio.get_running_loop().time()
