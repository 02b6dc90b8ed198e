"""`truecup bench socket`: durable commands over the socket, one at a time and pipelined, and what they cost.

All clients are one program beside the service; so they are for the bare route, which is asked over HTTP.
"""

from __future__ import annotations

import asyncio
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import msgspec
from cyclopts import Parameter
from cyclopts.validators import Number

from services.cli.bench.clients import load, players
from services.cli.bench.clients.load import AHEAD, LoadAnswers, spending
from services.cli.bench.clients.players import OPENED, TABLES_MIN, PlayersLoad, PlayersOrder, PlayersPlace
from services.cli.bench.clients.tables import BenchTable, open_tables
from services.cli.bench.http import COMMIT, OF_CPU, OF_WAIT, ROUTE, SERVICE
from services.cli.bench.profile import asking
from services.cli.bench.rig.floors import bare_insert
from services.cli.bench.rig.rig import Rig, beside_bare, program, servers
from services.cli.bench.sheets.figures import Figure, summed
from services.cli.bench.sheets.machine import machine
from services.cli.bench.sheets.sheets import MS, PER_S, REPETITIONS, BenchSheet, Samples, run
from services.cli.settings import settings
from services.client.house import CannotDo

HOWS: Final[dict[PlayersLoad, str]] = {"one": "commands one at a time", "ahead": "commands pipelined"}
SOME: Final = 16
OF_ROUTE: Final = ">= 1.0"
LOADS: Final = 3
"""What is measured with each number of clients: the bare route, commands one at a time, commands pipelined."""
LATE_S: Final = 120.0
"""How long tables may take to open, and an answer to come beyond what was to be measured, on a machine that is busy."""

Say = Callable[[str], None]


class Players:
    """The program in which the clients are."""

    def __init__(self, process: Process, log: Path) -> None:
        """Speak with this process, whose complaints go to this log."""
        self._process = process
        self._log = log
        self._first = 0

    async def opened(self) -> None:
        """Return when it has tables."""
        if await self._line(LATE_S) != f"{OPENED}\n".encode():
            raise self._trouble()

    async def measure(self, load: PlayersLoad, clients: int, seconds: float) -> LoadAnswers:
        """Return what so many clients have measured."""
        order = PlayersOrder(load, clients, seconds, self._first)
        self._first += clients
        assert self._process.stdin is not None, "it is a pipe"
        self._process.stdin.write(msgspec.json.encode(order) + b"\n")
        said = await self._line(seconds + LATE_S)
        try:
            return msgspec.json.decode(said, type=LoadAnswers)
        except msgspec.DecodeError as trouble:
            raise self._trouble() from trouble

    async def _line(self, within_s: float) -> bytes:
        assert self._process.stdout is not None, "it is a pipe"
        try:
            async with asyncio.timeout(within_s):
                return await self._process.stdout.readline()
        except TimeoutError as trouble:
            raise self._trouble() from trouble

    def _trouble(self) -> CannotDo:
        last = self._log.read_text(encoding="utf-8", errors="replace").splitlines()[-1:]
        return CannotDo(" ".join(["the clients did not play to the end", *last]))


@asynccontextmanager
async def playing(rig: Rig, clients: int) -> AsyncIterator[Players]:
    """Run the program of the clients; it ends when nothing more can come from this one."""
    place = PlayersPlace(rig.service.url, rig.bare.url, clients)
    argv = program(players.__name__, [msgspec.json.encode(place).decode()], {})
    log = rig.place.folder / "players.log"
    with log.open("wb") as complaints:
        process = await asyncio.create_subprocess_exec(*argv, stdin=PIPE, stdout=PIPE, stderr=complaints)
    try:
        yield Players(process, log)
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def socket(
    *,
    seconds: Annotated[float, Parameter(validator=Number(gte=1, lte=3_600))] = 30.0,
    clients: Annotated[int, Parameter(validator=Number(gte=2, lte=1_024))] = 64,
    processes: Annotated[int, Parameter(validator=Number(gte=1, lte=256))] = 1,
    profile: Annotated[bool, Parameter(negative="")] = False,
    json: bool = False,
) -> int:
    """Measure durable commands over the socket.

    Args:
        seconds: How long to measure in all; to open the tables takes ten more.
        clients: How many clients are many.
        processes: How many processes the service has.
        profile: Say where the service's time of a core goes, too, which takes a fifth longer.
        json: Print one JSON document.
    """
    return run(partial(_socket, seconds, clients, processes, seconds / REPETITIONS if profile else 0.0), json=json)


async def _socket(seconds: float, clients: int, processes: int, profiled_s: float, say: Say) -> BenchSheet:
    samples, sizes = Samples(), sorted({1, min(SOME, clients), clients})
    slice_s = seconds / (REPETITIONS * (1 + LOADS * len(sizes)))
    async with servers(settings()) as place:
        async with beside_bare(place, processes) as rig, playing(rig, clients) as there:
            say("opening tables")
            await there.opened()
            tables = await open_tables(rig.service.url, TABLES_MIN) if profiled_s else []
            for number in range(REPETITIONS):
                say(f"repetition {number + 1} of {REPETITIONS}")
                commit = await bare_insert(place.database_url, 1, slice_s)
                for size in sizes:
                    await _beside_route(rig, there, size, slice_s, samples, commit if size == 1 else None)
        say("profile")
        parts = await asking.profile(place, tables, profiled_s, _pipelined) if profiled_s else ()
        where = await machine(place.database_url, place.nats_url)
    return BenchSheet("socket", where, seconds, REPETITIONS, samples.rows(), parts)


async def _pipelined(url: str, tables: Sequence[BenchTable], clients: int, seconds: float) -> LoadAnswers:
    return await load.over_socket(url, tables, clients, seconds, AHEAD)


async def _beside_route(
    rig: Rig, there: Players, clients: int, slice_s: float, samples: Samples, commit: Figure | None
) -> None:
    """Measure the bare route and, right beside it, commands of so many clients; a commit is given to one alone."""
    many = "1 client" if clients == 1 else f"{clients} clients"
    route, bare = await spending({ROUTE: rig.bare.pid}, there.measure("bare", clients, slice_s))
    for way, how in HOWS.items():
        processes = {SERVICE: rig.service.pid, **rig.place.pids}
        done, costs = await spending(processes, there.measure(way, clients, slice_s))
        reach = "" if clients == 1 else OF_ROUTE
        samples.add(f"{how}, {many}", PER_S, done.figure.per_s, ROUTE, route.figure.per_s, reach)
        if commit is None:
            samples.add_waits(f"{how}, {many}", done.figure, ROUTE, route.figure)
        elif way == "one":
            samples.add_waits(
                f"{how}, {many}", done.figure, f"{ROUTE} + {COMMIT}", summed(route.figure, commit), OF_WAIT
            )
        for process, ms in costs.items():
            beside = (f"{ROUTE}, a request", bare[ROUTE], reach and OF_CPU) if process == SERVICE else ()
            samples.add(f"core of {process} a command, {how}, {many}", MS, ms, *beside)
