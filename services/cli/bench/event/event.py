"""`truecup bench tournament`: the laws of a large tournament on one core, and a house that holds one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Final

from cyclopts import Parameter
from cyclopts.validators import Number

from services.cli.bench.event.evening import measure_check_ins, measure_readers, measure_round
from services.cli.bench.event.laws import measure_laws
from services.cli.bench.rig import raw
from services.cli.bench.rig.rig import beside_bare, running, servers
from services.cli.bench.sheets.machine import machine
from services.cli.bench.sheets.sheets import REPETITIONS, BenchSheet, Samples, run
from services.cli.settings import settings

NODES: Final = 2
"""Processes that answer."""

Say = Callable[[str], None]


def tournament(
    *,
    entrants: Annotated[int, Parameter(validator=Number(gte=12, lte=4_096))] = 1_000,
    rounds: Annotated[int, Parameter(validator=Number(gte=2, lte=20))] = 7,
    readers: Annotated[int, Parameter(validator=Number(gte=2, lte=20_000))] = 2_000,
    seconds: Annotated[float, Parameter(validator=Number(gte=1, lte=3_600))] = 180.0,
    pause_ms: Annotated[int, Parameter(validator=Number(gte=0, lte=60_000))] = 1_000,
    json: bool = False,
) -> int:
    """Measure a tournament.

    Args:
        entrants: How many enter.
        rounds: How many rounds the laws are measured over.
        readers: How many follow its lines.
        seconds: How long results are watched; one comes at least.
        pause_ms: How long bots of the house pretend to think.
        json: Print one JSON document.
    """
    return run(partial(_tournament, entrants, rounds, readers, seconds, pause_ms), json=json)


async def _tournament(entrants: int, rounds: int, readers: int, seconds: float, pause_ms: int, say: Say) -> BenchSheet:
    samples = Samples()
    measure_laws(entrants, rounds, samples, say)
    more = {"TRUECUP_BOT_TABLES": str(entrants), "TRUECUP_BOT_PAUSE_MS": str(pause_ms)}
    async with servers(settings()) as place:
        async with beside_bare(place, NODES, **more) as rig, running(place, raw.__name__) as sockets:
            say("entering and checking in")
            host = await measure_check_ins(rig, entrants, samples)
            say("letting readers in")
            await measure_readers(rig, host, entrants, readers, sockets, samples)
            say("playing a round")
            await measure_round(rig, entrants, seconds, samples)
        where = await machine(place.database_url, place.nats_url)
    return BenchSheet("tournament", where, seconds, REPETITIONS, samples.rows())
