"""`truecup bench store`: appends through the store beside plain inserts, and the bytes an event takes.

The writers stand in this process with the store, which is where a dealer has it; what they write is made before
anything is timed. Every append is a bid: one line, its stored answer with a receipt.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from math import ceil
from typing import Annotated, Final
from uuid import UUID

import asyncpg
import msgspec
from cyclopts import Parameter
from cyclopts.validators import Number

from domain import events
from domain.log.receipts import sign_receipt
from domain.match.evolve import open_match
from domain.match.record import GENESIS, lines_of, stream_of
from infra.clock import cpu_s
from infra.entropy import draw
from infra.store import Append, Appended
from infra.store.postgres import PostgresStore, open_store
from services.cli.bench.clients.load import LoadAnswers
from services.cli.bench.clients.matches import ORIGIN, RULES, SIGNER
from services.cli.bench.rig.floors import Bytes, bare_bytes, bare_insert, bytes_of
from services.cli.bench.rig.rig import POSTGRES, RigPlace, servers
from services.cli.bench.sheets.figures import Figure, figure
from services.cli.bench.sheets.machine import machine
from services.cli.bench.sheets.processes import Spent
from services.cli.bench.sheets.sheets import BYTES, MS, PER_S, REPETITIONS, BenchSheet, Samples, run
from services.cli.settings import settings
from services.client.house import CannotDo
from services.matches.requests import Answer

MANY: Final = (64, 512)
SET: Final = 100
"""Rows a commit of the floor."""
FLOOR: Final = f"INSERT ... unnest, {SET} a commit"
COMMIT: Final = "bare commit of a row"
SLICES: Final = REPETITIONS * (2 + 2 * len(MANY))
READY_PER_S: Final = 40_000
"""Appends a second that are made ready, a third of what the floor does with rows that have no index."""
COMMITS: Final = 50
LESS_WAL, LESS_STORED = "< 1,840", "< 1,520"
"""What an event took with the schema of migration 0007, which keeps a parsed document beside each line."""

Say = Callable[[str], None]


class Writer:
    """Writes bids into a stream of its own."""

    def __init__(self) -> None:
        """Begin a match that nobody has opened yet."""
        self._id = UUID(bytes=draw(16), version=4)
        self._version, self._head = 0, GENESIS
        self._receipt = sign_receipt(ORIGIN, stream_of(self._id), 0, GENESIS, signers=[SIGNER])
        self.ready: deque[Append] = deque()

    def prepare(self, count: int) -> None:
        """Have so many appends ready, in their order; the first of all opens the match."""
        while len(self.ready) < count:
            event = events.Bid(1 + self._version % 2, 1 + self._version // 6, 1 + self._version % 6)
            happened = [event] if self._version else [open_match(self._id, RULES)]
            lines, head = lines_of(self._id, self._version, self._head, self._version, happened)
            answer = Answer(str(self._id), self._version + 1, head, receipt=self._receipt)
            command = hashlib.sha256(head.encode()).digest()
            self.ready.append(
                Append(stream_of(self._id), self._version, lines, command, command, msgspec.json.encode(answer))
            )
            self._version, self._head = self._version + 1, head


def store(
    *, seconds: Annotated[float, Parameter(validator=Number(gte=1, lte=3_600))] = 20.0, json: bool = False
) -> int:
    """Measure appends through the store.

    Args:
        seconds: How long to measure in all.
        json: Print one JSON document.
    """
    return run(partial(_store, seconds), json=json)


async def _store(seconds: float, say: Say) -> BenchSheet:
    samples = Samples()
    async with servers(settings()) as place:
        measured = await open_store(place.database_url, "truecup_dealer")
        try:
            writers = [Writer() for _ in range(max(MANY))]
            await appended(measured, writers, 0, 1)  # opens the matches
            for number in range(REPETITIONS):
                say(f"repetition {number + 1} of {REPETITIONS}")
                await _repetition(place, measured, writers, seconds / SLICES, samples)
        finally:
            await measured.close()
        where = await machine(place.database_url, place.nats_url)
    return BenchSheet("store", where, seconds, REPETITIONS, samples.rows())


async def _repetition(
    place: RigPlace, measured: PostgresStore, writers: Sequence[Writer], slice_s: float, samples: Samples
) -> None:
    """Measure everything once, each figure right beside its floor."""
    commit = await bare_insert(place.database_url, 1, slice_s)
    alone = await appended(measured, writers[:1], slice_s, _ready(slice_s, 1))
    samples.add_waits("append, 1 writer", alone.figure, COMMIT, commit, "<= 1.6")
    wal = stored = 0.0
    for many in MANY:
        floor = await bare_insert(place.database_url, SET, slice_s)
        wal, stored = await _beside_set(place, measured, writers[:many], slice_s, floor, samples)
    floor_wal, floor_stored = await bare_bytes(place.database_url, SET, COMMITS)
    samples.add("WAL an event", BYTES, wal, FLOOR, floor_wal, LESS_WAL)
    samples.add("stored an event", BYTES, stored, FLOOR, floor_stored, LESS_STORED)


async def _beside_set(
    place: RigPlace,
    measured: PostgresStore,
    writers: Sequence[Writer],
    slice_s: float,
    floor: Figure,
    samples: Samples,
) -> tuple[float, float]:
    """Measure appends of all these writers; return the bytes of WAL and the bytes stored for each."""
    many, ready = len(writers), _ready(slice_s, len(writers))
    for writer in writers:
        writer.prepare(ready)
    before, own_s, spent = await _bytes(place), cpu_s(), Spent(place.pids)
    done = await appended(measured, writers, slice_s, ready)
    costs = {"the program": 1_000 * (cpu_s() - own_s) / done.count, **spent.ms_each(done.count)}
    after = await _bytes(place)
    reach = ">= 0.30" if many == max(MANY) else ""
    samples.add(f"appends, {many} writers", PER_S, done.figure.per_s, FLOOR, floor.per_s, reach)
    for process in ("the program", POSTGRES):
        if process in costs:
            samples.add(f"core of {process} an append, {many} writers", MS, costs[process])
    return (after.wal - before.wal) / done.count, (after.stored - before.stored) / done.count


async def appended(store: PostgresStore, writers: Sequence[Writer], seconds: float, ready: int) -> LoadAnswers:
    """Let each writer append one after the other, as long as there is time and there are some ready.

    Raises:
        CannotDo: The store did not take one.
    """
    for writer in writers:
        writer.prepare(ready)
    clock = asyncio.get_running_loop().time
    took: list[float] = []

    async def write(writer: Writer) -> None:
        while writer.ready:
            before = clock()
            outcome = await store.append(writer.ready.popleft())
            if not isinstance(outcome, Appended):
                raise CannotDo(f"the store did not take an append: {outcome}")
            took.append(clock() - before)
            if clock() > begun + seconds:
                return

    begun = clock()
    await asyncio.gather(*map(write, writers))
    return LoadAnswers(figure(took, clock() - begun), len(took))


def _ready(seconds: float, writers: int) -> int:
    """Return how many appends each of so many writers has ready, which are more than it comes to."""
    return ceil(seconds * READY_PER_S / writers) + 1


async def _bytes(place: RigPlace) -> Bytes:
    connection = await asyncpg.connect(place.database_url)
    try:
        return await bytes_of(connection)
    finally:
        await connection.close()
