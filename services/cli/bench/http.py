"""`truecup bench http`: durable commands over HTTP, what they cost, and how soon a spectator sees them.

Clients are in this process, the service and the bare route in processes of their own. What is timed is the command;
that a client looks now and then whether its table was dealt is in what the service spends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Final

from cyclopts import Parameter
from cyclopts.validators import Number

from services.cli.bench.clients import load
from services.cli.bench.clients.load import spending
from services.cli.bench.clients.tables import BenchTable, open_tables
from services.cli.bench.delays import BIDS, HOPS, bid_to_spectator, in_time
from services.cli.bench.profile import asking
from services.cli.bench.rig.floors import bare_hop, bare_insert
from services.cli.bench.rig.rig import Rig, beside_bare, servers
from services.cli.bench.sheets.figures import Figure, summed
from services.cli.bench.sheets.machine import machine
from services.cli.bench.sheets.sheets import MS, PER_S, REPETITIONS, BenchSheet, Samples, run
from services.cli.settings import settings

SERVICE: Final = "service"
ROUTE, COMMIT, HOP = "bare route", "bare commit", "bare hop"
USUAL_S: Final = 30.0
SLICES: Final = REPETITIONS * 5
"""Pieces of the whole time: a commit, and for one client and for many the bare route and the commands."""
OF_ROUTE, OF_ROUTE_IN_ONE = ">= 0.40", ">= 0.25"
"""With as many processes as there are cores, and in one."""
OF_CPU: Final = "<= 3"
OF_WAIT: Final = "<= 2.5"
OF_LATEST: Final = "<= 5"

Say = Callable[[str], None]


def http(
    *,
    seconds: Annotated[float, Parameter(validator=Number(gte=1, lte=3_600))] = USUAL_S,
    clients: Annotated[int, Parameter(validator=Number(gte=2, lte=1_024))] = 64,
    processes: Annotated[int, Parameter(validator=Number(gte=1, lte=256))] = 1,
    profile: Annotated[bool, Parameter(negative="")] = False,
    json: bool = False,
) -> int:
    """Measure durable commands over HTTP, and how soon a spectator sees them.

    Args:
        seconds: How long to measure in all; to open the tables takes ten more.
        clients: How many clients are many.
        processes: How many processes the service has.
        profile: Say where the service's time of a core goes, too, which takes a fifth longer.
        json: Print one JSON document.
    """
    return run(partial(_http, seconds, clients, processes, seconds / REPETITIONS if profile else 0.0), json=json)


async def _http(seconds: float, clients: int, processes: int, profiled_s: float, say: Say) -> BenchSheet:
    samples, reach = Samples(), OF_ROUTE_IN_ONE if processes == 1 else OF_ROUTE
    async with servers(settings()) as place:
        async with beside_bare(place, processes) as rig:
            say("opening tables")
            tables = await open_tables(rig.service.url, clients)
            for number in range(REPETITIONS):
                say(f"repetition {number + 1} of {REPETITIONS}")
                await _repetition(rig, tables, seconds / SLICES, samples, reach)
        say("profile")
        parts = await asking.profile(place, tables, profiled_s) if profiled_s else ()
        where = await machine(place.database_url, place.nats_url)
    return BenchSheet("http", where, seconds, REPETITIONS, samples.rows(), parts)


async def _repetition(rig: Rig, tables: Sequence[BenchTable], slice_s: float, samples: Samples, reach: str) -> None:
    """Measure everything once, each figure right beside its floor, so that a noisy neighbour disturbs both."""
    commit = await bare_insert(rig.place.database_url, 1, slice_s)
    route, done = await _beside_route(rig, tables, 1, slice_s, samples, "")
    samples.add_waits("1 client", done, f"{ROUTE} + {COMMIT}", summed(route, commit), OF_WAIT)
    route, done = await _beside_route(rig, tables, len(tables), slice_s, samples, reach)
    samples.add_waits(f"{len(tables)} clients", done, ROUTE, route)
    hop = await bare_hop(rig.place.nats_url, in_time(HOPS, slice_s, USUAL_S / SLICES))
    route = (await load.bare(rig.bare.url, 1, slice_s / 4)).figure
    seen = await bid_to_spectator(rig.service.url, tables[0], in_time(BIDS, slice_s, USUAL_S / SLICES))
    floor, beside = summed(route, commit, hop), f"{ROUTE} + {COMMIT} + {HOP}, p50"
    samples.add("bid to a spectator's frame, p50", MS, seen.p50_ms, beside, floor.p50_ms, OF_WAIT)
    samples.add("bid to a spectator's frame, p99", MS, seen.p99_ms, beside, floor.p50_ms, OF_LATEST)


async def _beside_route(
    rig: Rig, tables: Sequence[BenchTable], clients: int, slice_s: float, samples: Samples, reach: str
) -> tuple[Figure, Figure]:
    """Measure the bare route and the commands of so many clients, and return both; keep rates and costs."""
    many = "1 client" if clients == 1 else f"{clients} clients"
    route, spent = await spending({ROUTE: rig.bare.pid}, load.bare(rig.bare.url, clients, slice_s))
    processes = {SERVICE: rig.service.pid, **rig.place.pids}
    done, costs = await spending(processes, load.commands(rig.service.url, tables, clients, slice_s))
    cost = OF_CPU if clients > 1 else ""
    samples.add(f"durable commands, {many}", PER_S, done.figure.per_s, ROUTE, route.figure.per_s, reach)
    for process, ms in costs.items():
        floor = (f"{ROUTE}, a request", spent[ROUTE], cost) if process == SERVICE else ()
        samples.add(f"core of {process} a command, {many}", MS, ms, *floor)
    return route.figure, done.figure
