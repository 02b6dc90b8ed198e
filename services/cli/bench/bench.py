"""`truecup bench`: durable commands a second, bid to spectator, the rules; each beside its floor."""

from __future__ import annotations

import asyncio
from statistics import median
from typing import Annotated, Final

from cyclopts import Parameter
from cyclopts.validators import Number
from msgspec import Struct, to_builtins

from domain.games import GAMES
from infra.clock import cpu_s
from services.cli.bench.clients import load
from services.cli.bench.clients.tables import BenchTable, open_tables
from services.cli.bench.delays import BIDS, HOPS, bid_to_spectator, in_time
from services.cli.bench.fairness import FairnessWork, hmac_speed, work_speed, works
from services.cli.bench.rig.floors import bare_hop, bare_insert
from services.cli.bench.rig.rig import Rig, rig
from services.cli.bench.rules import Speed, replace_speed, rules_speed
from services.cli.bench.sheets.figures import Figure, middle, ratio
from services.cli.bench.sheets.machine import Machine, machine
from services.cli.bench.sheets.results import Bench, BesideFloor, Commands, Fairness, RulesFigures, table_of
from services.cli.exits import FINE
from services.cli.screen import bar, draw, say_json
from services.cli.settings import settings
from services.client.house import CannotDo
from services.work.startup import CannotStart

CLIENTS: Final = (1, 16, 64)
REPETITIONS: Final = 3
FAIRNESS: Final = 4
SLICES: Final = REPETITIONS * (3 * len(CLIENTS) + 1 + len(GAMES) + FAIRNESS)
"""Pieces of the whole time: commands, bare route and insert for each number of clients, replacing, each game, the HMACs
and what is made of them."""
COMMANDS, ROUTE, INSERT = "commands", "bare route", "bare insert"
HOP, SPECTATOR, REPLACE, HMAC = "bare hop", "bid to spectator", "bare replace", "bare hmac"
USUAL_S: Final = 20.0


class Taken(Struct):
    """What the repetitions have measured so far, by what was measured and with how many clients."""

    figures: dict[tuple[str, int], list[Figure]] = {}
    speeds: dict[str, list[Speed]] = {}

    def add(self, what: str, clients: int, figure: Figure) -> None:
        """Keep a figure."""
        self.figures.setdefault((what, clients), []).append(figure)

    def middle(self, what: str, clients: int = 1) -> Figure:
        """Return the medians of a figure."""
        return middle(self.figures[what, clients])


def bench(
    *, seconds: Annotated[float, Parameter(validator=Number(gte=1, lte=3_600))] = USUAL_S, json: bool = False
) -> int:
    """Measure this machine.

    Args:
        seconds: How long to measure in all; setting up takes about ten more.
        json: Print one JSON document.
    """
    try:
        found = asyncio.run(_bench(seconds))
    except (CannotStart, OSError) as trouble:
        raise CannotDo(f"the benchmark cannot run: {trouble or type(trouble).__name__}") from trouble
    if json:
        say_json(to_builtins(found))
    else:
        draw(table_of(found))
    return FINE


async def _bench(seconds: float) -> Bench:
    taken, provable = Taken(), works()
    with bar() as progress:
        task = progress.add_task("starting", total=REPETITIONS)
        async with rig(settings()) as place:
            tables = await open_tables(place.service.url, max(CLIENTS))
            for number in range(REPETITIONS):
                progress.update(task, description=f"repetition {number + 1} of {REPETITIONS}")
                await _repetition(place, tables, seconds / SLICES, taken)
                _provable(provable, seconds / SLICES, taken)
                progress.update(task, completed=number + 1)
            return _summed(await machine(place.place.database_url, place.place.nats_url), seconds, taken, provable)


async def _repetition(place: Rig, tables: list[BenchTable], slice_s: float, taken: Taken) -> None:
    """Measure everything once, each figure right beside its floor, so that a noisy neighbour disturbs both."""
    for clients in CLIENTS:
        taken.add(ROUTE, clients, (await load.bare(place.bare.url, clients, slice_s)).figure)
        taken.add(COMMANDS, clients, (await load.commands(place.service.url, tables, clients, slice_s)).figure)
        taken.add(INSERT, clients, await bare_insert(place.place.database_url, clients, slice_s))
    taken.add(HOP, 1, await bare_hop(place.place.nats_url, in_time(HOPS, slice_s, USUAL_S / SLICES)))
    bids = in_time(BIDS, slice_s, USUAL_S / SLICES)
    taken.add(SPECTATOR, 1, await bid_to_spectator(place.service.url, tables[0], bids))
    taken.add(REPLACE, 1, replace_speed(cpu_s, slice_s))
    for game in GAMES:
        taken.speeds.setdefault(game, []).append(rules_speed(game, cpu_s, slice_s))


def _provable(provable: tuple[FairnessWork, ...], slice_s: float, taken: Taken) -> None:
    """Measure what provable dice cost, once, right beside its floor."""
    taken.add(HMAC, 1, hmac_speed(cpu_s, slice_s))
    for work in provable:
        taken.add(work.name, 1, work_speed(work, cpu_s, slice_s))


def _summed(where: Machine, seconds: float, taken: Taken, provable: tuple[FairnessWork, ...]) -> Bench:
    hop, spectator = taken.middle(HOP), taken.middle(SPECTATOR)
    replaced = taken.middle(REPLACE)
    return Bench(
        machine=where,
        seconds=seconds,
        repetitions=REPETITIONS,
        commands=tuple(_commands(clients, taken) for clients in CLIENTS),
        bid_to_spectator=BesideFloor(spectator, hop, ratio(spectator.p50_ms, hop.p50_ms)),
        bare_replace=replaced,
        rules=tuple(_rules(game, speeds, replaced) for game, speeds in taken.speeds.items()),
        bare_hmac=taken.middle(HMAC),
        fairness=tuple(_fairness(work, taken) for work in provable),
    )


def _rules(game: str, speeds: list[Speed], floor: Figure) -> RulesFigures:
    measured = middle([speed.figure for speed in speeds])
    worst_ms = median(speed.worst_ms for speed in speeds)
    return RulesFigures(game, speeds[0].seats, measured, worst_ms, ratio(measured.per_s, floor.per_s))


def _fairness(work: FairnessWork, taken: Taken) -> Fairness:
    measured = taken.middle(work.name)
    return Fairness(work.name, measured, ratio(work.hmacs * taken.middle(HMAC).p50_ms, measured.p50_ms))


def _commands(clients: int, taken: Taken) -> Commands:
    done, route, insert = (taken.middle(what, clients) for what in (COMMANDS, ROUTE, INSERT))
    return Commands(clients, done, route, insert, ratio(done.per_s, route.per_s), ratio(done.per_s, insert.per_s))
