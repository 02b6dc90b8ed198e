"""`truecup bench growth`: what a house does with very many stored matches behind it, beside one with few.

Two databases on a server of the bench's own: one keeps a thousand matches, the other grows. At each size everything is
measured in both by turns, so that a noisy neighbour disturbs both; flat is a ratio of one.

What people look at is in the memory of a house in use, however much lies behind it. So as many matches of the large
house as the small one has, from all its times, have been read before anything is measured, and are read again. One
kind is measured on matches that nobody has looked at: what the disk and the system's cache add. Beside all of them
stands a row that is found by its key, the least that any of it can take.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
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
from services.cli.bench.clients.choices import Randomness
from services.cli.bench.clients.matches import POLICY_TEXT
from services.cli.bench.rig.rig import servers
from services.cli.bench.rig.stock import PUBLISHED_EVERY, Stock
from services.cli.bench.sheets.machine import machine
from services.cli.bench.sheets.sheets import BYTES, MS, REPETITIONS, BenchSheet, Samples, run
from services.cli.bench.store import Writer, appended
from services.cli.settings import settings
from services.client.house import CannotDo
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
KINDS: Final = 7
ENTRIES: Final = "entries"
"""A unit."""

Say = Callable[[str], None]
Work = Callable[["House", UUID], Awaitable[None]]
"""Something that is done with a match of a house."""


class House(Struct, frozen=True):
    """A database, the matches it has, and whoever writes into it.

    Attributes:
        looked_at: Matches that somebody has looked at.
    """

    dsn: str
    stock: Stock
    store: PostgresStore
    writer: Writer
    chance: Randomness
    looked_at: list[UUID]

    def any_id(self) -> UUID:
        """Return one of the matches whose end is under a checkpoint."""
        return self.stock.ids[self.chance.below(max(1, len(self.stock.ids) - PUBLISHED_EVERY))]

    def known_id(self) -> UUID:
        """Return one of the matches that somebody has looked at."""
        return self.looked_at[self.chance.below(len(self.looked_at))]

    async def look(self, count: int) -> None:
        """Look at this many matches, from all times of the house."""
        logged = self.stock.ids[: max(1, len(self.stock.ids) - PUBLISHED_EVERY)]
        self.looked_at[:] = [logged[number * len(logged) // count] for number in range(count)]
        for match_id in self.looked_at:
            await _load(self, match_id)
            await _record(self, match_id)


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
            for house in (large, small):
                await house.look(few)
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
    many, few = f"{len(large.stock.ids):,} matches", f"the same with {len(small.stock.ids):,}"
    samples.add(f"log, {many}", ENTRIES, large.stock.entries, few, small.stock.entries)
    ready = int(APPENDS * slice_s) + 1
    waits = [(await appended(house.store, [house.writer], slice_s, ready)).figure.p50_ms for house in (large, small)]
    samples.add(f"append, {many}, p50", MS, waits[0], few, waits[1], FLAT)
    for what, work in WORKS.items():
        waits = await _p50s_ms(2 * slice_s, [partial(_known, work, house) for house in (large, small)])
        samples.add(f"{what}, {many}, p50", MS, waits[0], few, waits[1], "" if work is _row else FLAT)
    waits = await _p50s_ms(2 * slice_s, [partial(_unknown, house) for house in (large, small)])
    samples.add(f"record nobody has looked at, {many}, p50", MS, waits[0], few, waits[1])


async def _known(work: Work, house: House) -> None:
    await work(house, house.known_id())


async def _unknown(house: House) -> None:
    await _record(house, house.any_id())


async def _row(house: House, match_id: UUID) -> None:
    if not await house.store.secrets(stream_of(match_id)):
        raise CannotDo("the vault does not have the matches that were made")


async def _load(house: House, match_id: UUID) -> None:
    await MatchQueries(house.store, None).load_match(match_id)


async def _lobby(house: House, _: UUID) -> None:
    rows = await MatchQueries(house.store, None).lobby("ended", LOBBY_PAGE, TOP)
    if len(rows) < LOBBY_PAGE:
        raise CannotDo("the lobby does not have the matches that were made")


async def _record(house: House, match_id: UUID) -> None:
    await MatchQueries(house.store, None).record(match_id)


async def _proof(house: House, match_id: UUID) -> None:
    if await inclusion_of_anchor(house.store, stream_of(match_id), house.stock.last_seq, "final") is None:
        raise CannotDo("the log does not have the matches that were made")


WORKS: Final[dict[str, Work]] = {
    "row by its key": _row,
    "load of a match": _load,
    "page of the lobby": _lobby,
    "record": _record,
    "proof of the log": _proof,
}
"""Measured one after the other, with nothing in memory but what the database keeps."""


async def _p50s_ms(seconds: float, works: Sequence[Callable[[], Awaitable[None]]]) -> list[float]:
    """Return the middle of the times that each of these works takes, by turns, over and over, at least three times."""
    clock = asyncio.get_running_loop().time
    took, begun = [list[float]() for _ in works], clock()
    while len(took[0]) <= 2 or clock() - begun < seconds:  # noqa: PLR2004 - three have a middle
        for work, times in zip(works, took, strict=True):
            before = clock()
            await work()
            times.append(clock() - before)
    return [1_000 * median(times) for times in took]


@asynccontextmanager
async def _house(dsn: str) -> AsyncIterator[House]:
    """Give a database with no match in it, and a writer whose match is open."""
    await migrate(dsn)
    store = await open_store(dsn, "truecup_dealer")
    try:
        await store.log_enforce(POLICY_TEXT)
        yield House(dsn, Stock(), store, Writer(), Randomness(), [])
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
