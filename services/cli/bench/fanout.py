"""`truecup bench fanout`: one match and very many readers, beside raw sockets that are written the same bytes.

Readers are in processes of their own, as many for the raw sockets as for the service, and take nothing apart: they
count items, and say when each has reached the last of them. Clocks agree, since all are of one machine.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Annotated, Final, Protocol
from urllib.parse import urlsplit

import msgspec
from cyclopts import Parameter
from cyclopts.validators import Number

from services.cli.bench.clients import readers as crowd
from services.cli.bench.clients.readers import LOST, READY, ReadersOrder
from services.cli.bench.clients.tables import BenchTable, open_table
from services.cli.bench.clients.wire import Wire
from services.cli.bench.delays import FRAME, SNAPSHOT
from services.cli.bench.rig import raw
from services.cli.bench.rig.rig import LOOPBACK, Program, RigPlace, program, running, servers, service
from services.cli.bench.sheets.figures import Figure, figure
from services.cli.bench.sheets.machine import machine
from services.cli.bench.sheets.processes import Spent, memory_bytes
from services.cli.bench.sheets.sheets import PER_S, REPETITIONS, BenchSheet, Samples, run
from services.cli.settings import settings
from services.client.house import CannotDo
from services.local.child import Child

PROCESSES: Final = 2
"""Programs of readers, of either server."""
FIRST: Final = 1_000
"""The number of the first reader; those before play."""
BIDS: Final = 10
"""Single bids of a repetition, each sent when the one before has reached everybody."""
RAW: Final = "raw sockets"
LATE_S: Final = 120.0
"""How long readers may take to begin, and frames to reach them, on a machine that is busy."""
LOOK_S: Final = 0.002
REST_S: Final = 1.0
DEAL_S: Final = 0.01

Say = Callable[[str], None]


class ReaderGroups:
    """The programs that read one server."""

    def __init__(self, children: Sequence[Child]) -> None:
        """Hear these programs."""
        self._children = children
        self._files = [child.log.open("rb") for child in children]
        self._reached: list[dict[int, float]] = [{} for _ in children]
        self._begun: dict[int, int] = {}

    async def begun(self) -> int:
        """Return how many readers there are, when all have begun."""
        await self._until(lambda: len(self._begun) == len(self._children), "begin")
        return sum(self._begun.values())

    async def reached(self, item: int) -> float:
        """Return when an item has reached the last reader, in seconds of the machine's monotonic clock."""
        await self._until(lambda: all(item in one for one in self._reached), "get what was sent")
        return max(one[item] for one in self._reached)

    async def _until(self, come: Callable[[], bool], what: str) -> None:
        try:
            async with asyncio.timeout(LATE_S):
                while not come():
                    await asyncio.sleep(LOOK_S)
                    self._look()
        except TimeoutError as trouble:
            last = "\n".join(child.last_words() for child in self._children)
            raise CannotDo(f"readers did not {what} within {LATE_S:.0f} s:\n{last}") from trouble

    def _look(self) -> None:
        for number, file in enumerate(self._files):
            for line in file.read().decode().splitlines():
                first, _, second = line.partition(" ")
                if first == LOST:
                    raise CannotDo("the server hung up on a reader")
                if first == READY:
                    self._begun[number] = int(second)
                elif first.isdecimal():
                    self._reached[number][int(first)] = float(second)


@asynccontextmanager
async def reading(place: RigPlace, url: str, path: str, count: int) -> AsyncIterator[ReaderGroups]:
    """Let so many readers follow a stream."""
    async with AsyncExitStack() as stack:
        children = []
        for number in range(PROCESSES):
            of_this = len(range(number, count, PROCESSES))
            order = msgspec.json.encode(ReadersOrder(url, path, FIRST + number * count, of_this)).decode()
            log = place.folder / f"readers-{urlsplit(url).port}-{number}.log"
            children.append(Child(log.stem, program(crowd.__name__, [order], {}), log))
            stack.push_async_callback(children[-1].stop)
        yield ReaderGroups(children)


class FrameWriter(Protocol):
    """Has frames written to all readers of a server."""

    async def ready(self) -> None:
        """Return when one can be written."""

    async def write(self) -> int:
        """Have one written, and return its number from the first that the readers get."""


class Bidder:
    """Has frames written by bids at the table that is watched."""

    def __init__(self, wire: Wire, table: BenchTable, version: int) -> None:
        """Act at this table, whose readers have seen this version."""
        self._wire = wire
        self._table = table
        self._version = version

    async def ready(self) -> None:
        """Return when a seat may act."""
        while not await self._table.ready(self._wire):
            await asyncio.sleep(DEAL_S)

    async def write(self) -> int:
        """Act."""
        while (version := await self._table.act(self._wire)) is None:
            await self.ready()
        return version - self._version - 1


class RawWriter:
    """Has frames written by the raw server."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, frame: bytes) -> None:
        """Ask over this connection, for this frame each time."""
        self._reader = reader
        self._writer = writer
        self._frame = frame
        self._written = 0
        writer.write(b"PUT / HTTP/1.1\r\n\r\n")

    async def ready(self) -> None:
        """Return at once."""

    async def write(self) -> int:
        """Give the frame, and wait until the server has written it."""
        self._writer.write(b"%d\n%b" % (len(self._frame), self._frame))
        await self._reader.readexactly(1)
        self._written += 1
        return self._written - 1


def fanout(
    *,
    seconds: Annotated[float, Parameter(validator=Number(gte=1, lte=3_600))] = 20.0,
    readers: Annotated[int, Parameter(validator=Number(gte=2, lte=20_000))] = 1_000,
    json: bool = False,
) -> int:
    """Measure one match with very many readers.

    Args:
        seconds: How long to measure in all; to let the readers in takes longer.
        readers: How many there are.
        json: Print one JSON document.
    """
    return run(partial(_fanout, seconds, readers), json=json)


async def _fanout(seconds: float, count: int, say: Say) -> BenchSheet:
    samples = Samples()
    async with (
        servers(settings()) as place,
        service(place, "service", proxies=LOOPBACK) as serving,
        running(place, raw.__name__) as bare,
    ):
        say("letting readers in")
        wire = await Wire.to(serving.url, client=0)
        table = await open_table(wire)
        frame = await _frame(serving.url, wire, table)
        bidder, rest = Bidder(wire, table, await _version(wire, table)), memory_bytes(serving.pid)
        async with (
            reading(place, serving.url, f"{table.path}/stream", count) as ours,
            reading(place, bare.url, "/", count) as floor,
        ):
            there, _ = await ours.begun(), await floor.begun()
            await asyncio.sleep(REST_S)
            samples.add("readers let in", "readers", there, "asked for", count)
            each = (memory_bytes(serving.pid) - rest) / max(1, there) / 1_024
            samples.add("memory of the service a reader at rest", "KiB", each, reach="<= 16")
            put = RawWriter(*await connection_to(bare.url), frame)
            for number in range(REPETITIONS):
                say(f"repetition {number + 1} of {REPETITIONS}")
                slice_s = seconds / REPETITIONS / 2
                await _repetition(samples, slice_s, there, (serving, bidder, ours), (bare, put, floor))
        where = await machine(place.database_url, place.nats_url)
    return BenchSheet("fanout", where, seconds, REPETITIONS, samples.rows())


Side = tuple[Program, FrameWriter, ReaderGroups]
"""A server, who has it write, and who reads."""


async def _repetition(samples: Samples, slice_s: float, there: int, ours: Side, floor: Side) -> None:
    """Measure single frames and frames without a pause, ours right beside the floor."""
    alone = [await waits(writer, groups) for _, writer, groups in (ours, floor)]
    samples.add_waits(f"a bid to the last of {there:,} readers", alone[0], f"{RAW}, a frame to the last", alone[1])
    (per_s, core_us), (raw_per_s, raw_us) = [await _rate(*side, slice_s, there) for side in (ours, floor)]
    samples.add(f"frames to {there:,} readers", PER_S, per_s, RAW, raw_per_s, ">= 0.5")
    samples.add("core of service a frame and reader", "us", core_us, RAW, raw_us)


async def waits(writer: FrameWriter, groups: ReaderGroups) -> Figure:
    """Measure frames one by one, each from being asked for until the last reader has it."""
    took, begun = list[float](), _now()
    for _ in range(BIDS):
        await writer.ready()
        before = _now()
        took.append(await groups.reached(await writer.write()) - before)
    return figure(took, _now() - begun)


async def _rate(
    server: Program, writer: FrameWriter, groups: ReaderGroups, seconds: float, there: int
) -> tuple[float, float]:
    """Return how many frames a second reach all readers together, and a core's microseconds for each."""
    await writer.ready()
    begun, spent, first = _now(), Spent({"server": server.pid}), await writer.write()
    last = first
    while _now() < begun + seconds:
        await writer.ready()
        last = await writer.write()
    ended, frames = await groups.reached(last), there * (last - first + 1)
    return frames / (ended - begun), 1_000 * spent.ms_each(frames)["server"]


async def _frame(url: str, wire: Wire, table: BenchTable) -> bytes:
    """Return the frame of a bid as it is on the wire, a chunk of a stream."""
    watching = await Wire.to(url, client=1)
    await watching.follow(f"{table.path}/stream")
    while not (line := await watching.line()).startswith(SNAPSHOT):
        pass
    while not await table.ready(wire):
        await asyncio.sleep(DEAL_S)
    await table.act(wire)
    while not (line := await watching.line()).startswith(FRAME):
        pass
    await watching.close()
    return b"%x\r\n%b\r\n" % (len(line), line)


async def _version(wire: Wire, table: BenchTable) -> int:
    _, view = await wire.ask("GET", table.path)
    return int(view["version"])


async def connection_to(url: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Return a connection to the server at this address."""
    parts = urlsplit(url)
    return await asyncio.open_connection(parts.hostname, parts.port)


def _now() -> float:
    return asyncio.get_running_loop().time()
