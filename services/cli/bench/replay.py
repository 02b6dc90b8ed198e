"""`truecup bench replay`: frames of stored matches made again, and a stored match loaded and decided on.

What is read is what the service reads, through the queries that its routes ask, with nothing in memory. The frames are
compared by a core's time; what waits for the database is compared by the time on the wall.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from statistics import median
from typing import Annotated, Final
from uuid import UUID

from cyclopts import Parameter
from cyclopts.validators import Number

from domain import commands
from domain.errors import Refused
from domain.match.decide import decide
from domain.match.record import event_of, stream_of
from infra.clock import cpu_s
from infra.entropy import draw
from infra.store import Append, Appended, EventLog
from infra.store.postgres import PostgresStore, open_store
from services.api.routes.match import PAGE
from services.cli.bench.clients.matches import STEP_MS, PlayedMatch, session_of
from services.cli.bench.rig.rig import servers
from services.cli.bench.sheets.machine import machine
from services.cli.bench.sheets.sheets import MS, REPETITIONS, BenchSheet, Samples, run
from services.cli.settings import settings
from services.client.house import CannotDo
from services.matches.reads.queries import MatchQueries

SIZES: Final = (100, 1_000)
LOADED: Final = 1_000
"""The length of the match that is loaded and decided on."""
AT_ONCE: Final = 500
"""Lines of an append, when a match is stored."""

Say = Callable[[str], None]


def replay(
    *,
    seconds: Annotated[float, Parameter(validator=Number(gte=1, lte=3_600))] = 20.0,
    longest: Annotated[int, Parameter(validator=Number(gte=100, lte=60_000))] = 4_000,
    json: bool = False,
) -> int:
    """Measure replays, and a match that is loaded and decided on.

    Args:
        seconds: How long to measure in all; to play the matches takes ten more.
        longest: How many events the longest match has.
        json: Print one JSON document.
    """
    return run(partial(_replay, seconds, longest), json=json)


async def _replay(seconds: float, longest: int, say: Say) -> BenchSheet:
    samples, sizes = Samples(), (*(size for size in SIZES if size < longest), longest)
    async with servers(settings()) as place:
        store = await open_store(place.database_url, "truecup_dealer")
        try:
            say("playing matches")
            matches = [await _stored(store, size) for size in sizes]
            slice_s = seconds / (REPETITIONS * 3 * len(sizes))
            for number in range(REPETITIONS):
                say(f"repetition {number + 1} of {REPETITIONS}")
                for size, played in zip(sizes, matches, strict=True):
                    await _replayed(store, played.match.id, size, slice_s, samples)
                    if size == min(LOADED, longest):
                        await _loaded(store, played, slice_s, samples)
        finally:
            await store.close()
        where = await machine(place.database_url, place.nats_url)
    return BenchSheet("replay", where, seconds, REPETITIONS, samples.rows())


async def _stored(store: EventLog, events: int) -> PlayedMatch:
    """Play a match with at least so many events, store it, and return it.

    Raises:
        CannotDo: The store does not take it.
    """
    played = session_of(events, UUID(bytes=draw(16), version=4))
    for begin in range(0, len(played.lines), AT_ONCE):
        lines = tuple(played.lines[begin : begin + AT_ONCE])
        command = hashlib.sha256(lines[-1]).digest()
        outcome = await store.append(Append(stream_of(played.match.id), begin, lines, command, command, b"{}"))
        if not isinstance(outcome, Appended):
            raise CannotDo(f"the store did not take a match: {outcome}")
    return played


async def _replayed(store: PostgresStore, match_id: UUID, size: int, slice_s: float, samples: Samples) -> None:
    """Make every frame of a spectator, a page at a time as the route does, beside taking each line apart once."""
    lines = await store.read(stream_of(match_id))
    decoded = await _core_ms(slice_s, partial(_decoded, lines))
    replayed = await _core_ms(slice_s, partial(_frames, store, match_id))
    samples.add(f"replay of {size:,} events, a core's time", MS, replayed, "its lines decoded once", decoded, "<= 4")


async def _decoded(lines: Sequence[bytes]) -> None:
    for line in lines:
        event_of(line)


async def _frames(store: PostgresStore, match_id: UUID) -> None:
    matches, after = MatchQueries(store, None), 0
    while frames := await matches.frames(match_id, None, after, PAGE):
        after += len(frames)


async def _core_ms(seconds: float, work: Callable[[], Awaitable[None]]) -> float:
    """Return the middle of the times of a core that some work takes, over and over; at least once."""
    took, begun = list[float](), cpu_s()
    while not took or cpu_s() - begun < seconds:
        before = cpu_s()
        await work()
        took.append(cpu_s() - before)
    return 1_000 * median(took)


async def _loaded(store: PostgresStore, played: PlayedMatch, slice_s: float, samples: Samples) -> None:
    """Load a match that is not in memory, and decide on a legal command, beside reading its lines; in turns."""
    clock, match_id, command = asyncio.get_running_loop().time, played.match.id, _legal(played)
    read, loaded, begun = list[float](), list[float](), clock()
    while not read or clock() - begun < slice_s:
        before = clock()
        await store.read(stream_of(match_id))
        between = clock()
        found = await MatchQueries(store, None).load_match(match_id)
        decide(found.match, command, found.match.at + STEP_MS, played.keeper)
        read.append(between - before)
        loaded.append(clock() - between)
    what = f"a match of {len(played.lines):,} events loaded and decided on, p50"
    samples.add(what, MS, 1_000 * median(loaded), "bare read of its lines, p50", 1_000 * median(read), "<= 2")


def _legal(played: PlayedMatch) -> commands.Play:
    """Return a command that the match, as it stands, takes."""
    for command in played.offered():
        with suppress(Refused):
            decide(played.match, command, played.match.at + STEP_MS, played.keeper)
            return command
    raise AssertionError("somebody can always act")
