"""`truecup bench growth`: what a house does with very many stored matches behind it, beside one with few.

Two databases on a server of the bench's own: one keeps a thousand matches, the other grows. At each size everything is
measured in both, one right after the other, so that a noisy neighbour disturbs both; flat is a ratio of one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from statistics import median
from typing import Annotated, Final
from uuid import UUID

import asyncpg
from cyclopts import Parameter
from cyclopts.validators import Number
from msgspec import Struct
from msgspec.structs import replace

from domain.match.record import stream_of
from infra.store import SHARDS, TOP
from infra.store.migrate import migrate
from infra.store.postgres import PostgresStore, open_store
from services.cli.bench.choices import Randomness
from services.cli.bench.machine import machine
from services.cli.bench.matches import POLICY_TEXT
from services.cli.bench.rig import servers
from services.cli.bench.sheets import BYTES, MS, REPETITIONS, BenchSheet, Samples, run
from services.cli.bench.stock import PUBLISHED_EVERY, Stock
from services.cli.bench.store import Writer, appended
from services.cli.exits import CannotDo
from services.cli.settings import settings
from services.matches.reads.queries import MatchQueries
from services.matches.reads.records import inclusion_of_anchor

FEW: Final = 1_000
SMALLEST: Final = 10_000
TIMES: Final = 10
"""From one size to the next."""
LOBBY_PAGE: Final = 50
APPENDS: Final = 4_000
"""Appends a second that are made ready for a writer alone."""
TAKEN: Final = "select sum(pg_total_relation_size(inhrelid)) from pg_inherits where inhparent = $1::text::regclass"
FOR_EVER: Final = 2**62
"""Later than any match was played, in Unix milliseconds."""
FLAT: Final = "<= 1.2"
KINDS: Final = 5

Say = Callable[[str], None]


class House(Struct, frozen=True):
    """A database, the matches it has, and whoever writes into it."""

    dsn: str
    stock: Stock
    store: PostgresStore
    writer: Writer
    chance: Randomness

    def any_id(self) -> UUID:
        """Return one of the matches whose end is under a checkpoint."""
        return self.stock.ids[self.chance.below(max(1, len(self.stock.ids) - PUBLISHED_EVERY))]


def growth(
    *,
    seconds: Annotated[float, Parameter(validator=Number(gte=1, lte=3_600))] = 30.0,
    matches: Annotated[int, Parameter(validator=Number(gte=200, lte=10_000_000))] = 100_000,
    few: Annotated[int, Parameter(validator=Number(gte=200, lte=100_000))] = FEW,
    json: bool = False,
) -> int:
    """Measure a house with very many stored matches beside one with few.

    Args:
        seconds: How long to measure in all; to make 100,000 matches takes minutes more.
        matches: How many there are in the end; it is measured at 10,000 and at ten times as many, again and again.
        few: How many the other house has.
        json: Print one JSON document.
    """
    return run(partial(_growth, seconds, matches, few), json=json)


async def _growth(seconds: float, matches: int, few: int, say: Say) -> BenchSheet:
    samples, sizes = Samples(), sizes_up_to(matches)
    config = replace(settings(), database_url=None, nats_url=None)
    async with (
        servers(config) as place,
        _house(place.database_url) as large,
        _house(await _another(place.database_url)) as small,
    ):
        say(f"making {few:,} matches, and moving them to the archive")
        await small.stock.grow(small.dsn, few, archived=False)
        played, archived = await _bytes_moved(small)
        samples.add("an event in the archive", BYTES, archived, "the same as it was stored first", played)
        for size in sizes:
            say(f"making {size:,} matches")
            await large.stock.grow(large.dsn, size)
            for number in range(REPETITIONS):
                say(f"{size:,} matches, repetition {number + 1} of {REPETITIONS}")
                slice_s = seconds / (len(sizes) * REPETITIONS * 2 * KINDS)
                await _repetition(large, small, slice_s, samples)
        where = await machine(place.database_url, place.nats_url)
    return BenchSheet("growth", where, seconds, REPETITIONS, samples.rows())


async def _bytes_moved(house: House) -> tuple[float, float]:
    """Move every match of a house to its archive; return what an event of it takes before and behind, with indexes."""
    events = len(house.stock.ids) * (house.stock.last_seq + 1)
    played = await _taken(house.dsn, "event")
    for shard in range(SHARDS):
        looked: str | None = ""
        while looked is not None:
            looked = (await house.store.archive_next(shard, looked, FOR_EVER)).looked
    return played / events, await _taken(house.dsn, "archive") / events


async def _taken(dsn: str, table: str) -> int:
    """Return the bytes that a table in partitions takes, with its indexes."""
    connection = await asyncpg.connect(dsn)
    try:
        return int(await connection.fetchval(TAKEN, table))
    finally:
        await connection.close()


def sizes_up_to(matches: int) -> tuple[int, ...]:
    """Return the numbers of matches at which everything is measured."""
    sizes, size = list[int](), SMALLEST
    while size < matches:
        sizes.append(size)
        size *= TIMES
    return (*sizes, matches)


async def _repetition(large: House, small: House, slice_s: float, samples: Samples) -> None:
    """Measure everything once at the size there is, in both houses."""
    many, few = len(large.stock.ids), f"the same with {len(small.stock.ids):,}"
    ready = int(APPENDS * slice_s) + 1
    waits = [(await appended(house.store, [house.writer], slice_s, ready)).figure.p50_ms for house in (large, small)]
    samples.add(f"append, {many:,} matches, p50", MS, waits[0], few, waits[1], FLAT)
    for what, work in WORKS.items():
        waits = [await _p50_ms(slice_s, partial(work, house)) for house in (large, small)]
        samples.add(f"{what}, {many:,} matches, p50", MS, waits[0], few, waits[1], FLAT)


async def _load(house: House) -> None:
    await MatchQueries(house.store, None).load_match(house.any_id())


async def _lobby(house: House) -> None:
    rows = await MatchQueries(house.store, None).lobby("ended", LOBBY_PAGE, TOP)
    if len(rows) < LOBBY_PAGE:
        raise CannotDo("the lobby does not have the matches that were made")


async def _record(house: House) -> None:
    await MatchQueries(house.store, None).record(house.any_id())


async def _proof(house: House) -> None:
    if await inclusion_of_anchor(house.store, stream_of(house.any_id()), house.stock.last_seq, "final") is None:
        raise CannotDo("the log does not have the matches that were made")


WORKS: Final[dict[str, Callable[[House], Awaitable[None]]]] = {
    "load of a match": _load,
    "page of the lobby": _lobby,
    "record": _record,
    "proof of the log": _proof,
}
"""Measured one after the other, with nothing in memory but what the database keeps."""


async def _p50_ms(seconds: float, work: Callable[[], Awaitable[None]]) -> float:
    """Return the middle of the times that some work takes, over and over, at least three times."""
    clock = asyncio.get_running_loop().time
    took, begun = list[float](), clock()
    while len(took) <= 2 or clock() - begun < seconds:  # noqa: PLR2004 - three have a middle
        before = clock()
        await work()
        took.append(clock() - before)
    return 1_000 * median(took)


@asynccontextmanager
async def _house(dsn: str) -> AsyncIterator[House]:
    """Give a database with no match in it, and a writer whose match is open."""
    await migrate(dsn)
    store = await open_store(dsn, "truecup_dealer")
    try:
        await store.log_enforce(POLICY_TEXT)
        yield House(dsn, Stock(), store, Writer(), Randomness())
    finally:
        await store.close()


async def _another(dsn: str) -> str:
    """Return a new database on the same server."""
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute("create database truecup_bench_few")
        name = await connection.fetchval("select current_database()")
    finally:
        await connection.close()
    return dsn.replace(f"/{name}", "/truecup_bench_few", 1)
