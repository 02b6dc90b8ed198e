"""Clients that send commands, one after the other or several at a time, and how long each was answered in."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import partial
from typing import Any, Final, Protocol, TypeVar

from msgspec import Struct

from infra.clock import ticks_s
from services.cli.bench.clients.socketwire import SocketReply, SocketWire
from services.cli.bench.clients.tables import TOO_MANY, WAIT_S, Asking, BenchTable
from services.cli.bench.clients.wire import Wire
from services.cli.bench.sheets.figures import Figure, figure
from services.cli.bench.sheets.processes import Spent
from services.client.house import CannotDo

BARE: Final = "/bare"
DEAL_S: Final = 0.02
"""How long a client waits when every table of its is being dealt: each look costs the service as much as a command."""
AHEAD: Final = 16
"""Commands that a client which pipelines has under way; the service takes 64 of one socket."""
OK: Final = 200


class Closing(Asking, Protocol):
    """A client's way to the service, and its end."""

    async def close(self) -> None:
        """Hang up."""


Way = TypeVar("Way", bound=Closing)

LoadClient = Callable[[Way, float], Awaitable[list[float]]]
"""Sends requests until a time of the loop, and returns how long each took that is to be counted, in seconds."""


class LoadAnswers(Struct, frozen=True):
    """How fast requests were answered, and how many."""

    figure: Figure
    count: int


async def commands(url: str, tables: Sequence[BenchTable], clients: int, seconds: float) -> LoadAnswers:
    """Measure durable commands over HTTP: each client plays its share of the tables."""
    wires = [await Wire.to(url, client=number) for number in range(clients)]
    return await _measure(wires, [_Turns(tables[number::clients]).run for number in range(clients)], seconds)


async def bare(url: str, clients: int, seconds: float) -> LoadAnswers:
    """Measure the bare route."""
    return await _measure([await Wire.to(url, client=number) for number in range(clients)], [_bare] * clients, seconds)


async def over_socket(
    url: str, tables: Sequence[BenchTable], clients: int, seconds: float, ahead: int = 1, first: int = 0
) -> LoadAnswers:
    """Measure durable commands over the socket.

    Args:
        url: The service.
        tables: What is played; each client plays its share.
        clients: How many there are, with a socket each.
        seconds: How long they play.
        ahead: How many commands a client has under way; with one it waits for each answer.
        first: The number of the first client: each comes from an address of its own.
    """
    wires = [await SocketWire.to(url, first + number) for number in range(clients)]
    shares = [tables[number::clients] for number in range(clients)]
    plays = [_Turns(share).run if ahead == 1 else _Ahead(share, ahead).run for share in shares]
    return await _measure(wires, plays, seconds)


async def _bare(wire: Wire, until: float) -> list[float]:
    took: list[float] = []
    while ticks_s() < until or not took:
        before = ticks_s()
        await wire.ask("POST", BARE, {"type": "bid", "quantity": 1, "face": 2})
        took.append(ticks_s() - before)
    return took


class _Turns:
    """The tables of one client, in turn."""

    def __init__(self, tables: Sequence[BenchTable]) -> None:
        self._tables = tables
        self._next = 0

    async def run(self, wire: Asking, until: float) -> list[float]:
        """Act again and again; looking for a table is not part of what is timed."""
        took: list[float] = []
        while ticks_s() < until or not took:
            table = await self.ready(wire)
            before = ticks_s()
            if await table.act(wire) is not None:
                took.append(ticks_s() - before)
        return took

    async def ready(self, wire: Asking) -> BenchTable:
        """Return the next table at which a seat can act."""
        while (table := await self.look(wire)) is None:
            await asyncio.sleep(DEAL_S)
        return table

    async def look(self, wire: Asking) -> BenchTable | None:
        """Return the next table at which a seat can act, if there is one."""
        for _ in self._tables:
            table = self._tables[self._next % len(self._tables)]
            self._next += 1
            if await table.ready(wire):
                return table
        return None


class _Ahead:
    """The tables of one client that sends further commands before the answers to those before have come."""

    def __init__(self, tables: Sequence[BenchTable], ahead: int) -> None:
        self._turns = _Turns(tables)
        self._ahead = ahead
        self._took: list[float] = []
        self._under_way: deque[tuple[BenchTable, asyncio.Future[SocketReply]]] = deque()

    async def run(self, wire: SocketWire, until: float) -> list[float]:
        """Act again and again, and wait in the end for what is under way."""
        while ticks_s() < until or not self._took:
            if len(self._under_way) >= self._ahead:
                await self._hear()
            table = await self._turns.look(wire)
            if table is not None:
                self._act(wire, table)
            elif self._under_way:
                await self._hear()
            else:
                await asyncio.sleep(DEAL_S)
        while self._under_way:
            await self._hear()
        return self._took

    def _act(self, wire: SocketWire, table: BenchTable) -> None:
        before = ticks_s()
        answer = wire.send(table.match, *table.take())
        answer.add_done_callback(partial(self._note, before))
        self._under_way.append((table, answer))

    def _note(self, before: float, answer: asyncio.Future[SocketReply]) -> None:
        if not answer.cancelled() and answer.exception() is None and answer.result().status == OK:
            self._took.append(ticks_s() - before)

    async def _hear(self) -> None:
        """Wait for the oldest answer; where the service asks to wait, what was sent behind is out of turn and void."""
        table, answer = self._under_way.popleft()
        said = await answer
        if said.status == OK:
            return
        if said.status != TOO_MANY:
            raise CannotDo(f"the service refused a legal command: {said.code}")
        void = {table}
        while self._under_way:
            table, answer = self._under_way.popleft()
            await answer
            void.add(table)
        await asyncio.sleep(WAIT_S)
        for table in void:
            table.forget()


async def _measure(ways: Sequence[Way], clients: Sequence[LoadClient[Way]], seconds: float) -> LoadAnswers:
    begun = ticks_s()
    took = await asyncio.gather(*(client(way, begun + seconds) for way, client in zip(ways, clients, strict=True)))
    elapsed = ticks_s() - begun
    for way in ways:
        await way.close()
    every = [one for client in took for one in client]
    return LoadAnswers(figure(every, elapsed), len(every))


async def spending(
    processes: Mapping[str, int], answering: Coroutine[Any, Any, LoadAnswers]
) -> tuple[LoadAnswers, dict[str, float]]:
    """Return what was answered, and what each of the processes has spent on each answer, in milliseconds of a core."""
    spent = Spent(processes)
    answered = await answering
    return answered, spent.ms_each(answered.count)
