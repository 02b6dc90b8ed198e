"""An evening in a house: people who check in at once, readers, a round that is opened, results that are watched."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import combinations
from typing import Any, Final

import asyncpg
import msgspec

from infra.clock import now_ms, ticks_s
from services.cli.bench.clients import load
from services.cli.bench.clients.wire import Wire
from services.cli.bench.event.house import CONNECTIONS, LATE_S, LOOK_S, EventHost, check_in, enter
from services.cli.bench.fanout import RAW, RawWriter, connection_to, reading, waits
from services.cli.bench.rig.floors import bare_hop, bare_insert
from services.cli.bench.rig.rig import Program, Rig
from services.cli.bench.sheets.figures import figure
from services.cli.bench.sheets.sheets import REPETITIONS, Samples
from services.client.house import CannotDo

SLICE_S: Final = 1.0
"""How long a floor is measured."""
FLOOR_ROWS: Final = 64
HOPS: Final = 500
FIRST: Final = 10_000
"""The number of the first of those who check in; every connection comes from an address of its own."""
LINE: Final = b"x" * 200 + b"\n"
"""As long as a line that an official causes, as readers of the stream get it."""
FRAME: Final = b"%x\r\n%b\r\n" % (len(LINE), LINE)
"""The same as a chunk."""
DEALT: Final = (
    "select count(*) as tables, max(at) as at from (select stream, min((body::jsonb ->> 'at')::bigint) as at from event"
    ' where stream = any($1::text[]) and body like \'%"type":"deal.ready"%\' group by stream) dealt'
)
LINES: Final = "select count(*) from event where stream = any($1::text[])"


async def measure_check_ins(rig: Rig, entrants: int, samples: Samples) -> EventHost:
    """Let so many in, let them check in, and return the host of them."""
    url = rig.service.url
    host = await EventHost.announced(url, entrants, client=0)
    people, entered = await enter(url, host, entrants, FIRST)
    await host.ask(type="open_check_in")
    checked = await check_in(url, host, people, FIRST + CONNECTIONS)
    bare = (await load.bare(rig.bare.url, min(CONNECTIONS, entrants), SLICE_S)).figure
    floor = entrants / bare.per_s
    beside = "as many requests of a bare route"
    samples.add(f"{entrants:,} people enter", "s", entrants / entered.per_s, beside, floor)
    samples.add(f"{entrants:,} people check in", "s", entrants / checked.per_s, beside, floor, "<= 5 s")
    samples.add_waits("a check-in among them", checked, "a bare request among as many", bare)
    return host


class Official:
    """Has lines written by what an official asks for: it keeps one pair after another from one table."""

    def __init__(self, host: EventHost, entrants: int, version: int) -> None:
        """Ask as this host, whose readers have seen this version."""
        self._host = host
        self._pairs = combinations(range(1, entrants + 1), 2)
        self._version = version

    async def ready(self) -> None:
        """Return at once."""

    async def write(self) -> int:
        """Ask."""
        answer = await self._host.ask(type="forbid", numbers=next(self._pairs), reason="request")
        return int(answer["version"]) - self._version - 1


async def measure_readers(
    rig: Rig, host: EventHost, entrants: int, count: int, bare: Program, samples: Samples
) -> None:
    """Let so many read the stream of a tournament, and measure a line to the last of them, beside raw sockets."""
    official = Official(host, entrants, (await host.view())["version"])
    async with (
        reading(rig.place, rig.service.url, f"{host.path}/stream", count) as ours,
        reading(rig.place, bare.url, "/", count) as floor,
    ):
        there, _ = await ours.begun(), await floor.begun()
        samples.add("readers of the stream let in", "readers", there, "asked for", count, "== 1")
        put = RawWriter(*await connection_to(bare.url), FRAME)
        for _ in range(REPETITIONS):
            line, written = await waits(official, ours), await waits(put, floor)
            samples.add_waits(f"a line to the last of {there:,} readers", line, f"{RAW}, a frame to the last", written)


class WatchingPage:
    """A page that watches a tournament: it follows the lines, and moves the rows of its standings as they say.

    Where a line does not say which rows it moved, it asks for the standings, as it does when it begins.

    Attributes:
        paired: Whether the round is paired, and `paired_at`, when, in Unix milliseconds.
        told: How long each result took from its line to the page, in seconds.
        shown: How long each took until it stood in the standings of the page.
    """

    def __init__(self, url: str, stream: Wire, path: str) -> None:
        """Follow by this connection, and ask by others: the service hangs up on whoever says nothing."""
        self._url, self._stream, self._path = url, stream, path
        self.paired = asyncio.Event()
        self.paired_at = 0
        self.told: list[float] = []
        self.shown: list[float] = []
        self.closed = False
        self.works: list[asyncio.Task[None]] = []
        self._waiting: list[tuple[int, int]] = []
        self._places: dict[int, int | None] = {}
        self._result = asyncio.Event()

    @property
    def is_done(self) -> bool:
        """Whether the round is closed, and the page shows all of it."""
        return self.closed and not self._waiting

    def check(self) -> None:
        """Raise what has ended its works, if anything has."""
        for work in self.works:
            if work.done():
                work.result()

    async def follow(self) -> None:
        """Take note of every line until the round is closed."""
        await self._stream.follow(f"{self._path}/stream")
        while not self.closed and (line := await self._stream.line()):
            if line.startswith(b'{"version"'):
                self._note(msgspec.json.decode(line))

    def _note(self, line: dict[str, Any]) -> None:
        kind, at = line["event"]["type"], line["at"]
        if kind == "tables.paired":
            self.paired_at = at
            self.paired.set()
            self._result.set()
        elif kind == "result.recorded":
            self.told.append((now_ms() - at) / 1_000)
            self._show(line, at)
        elif kind == "round.closed":
            self.closed = True
            self._result.set()

    def _show(self, line: dict[str, Any], at: int) -> None:
        changed = line["changed"]
        if self._waiting or not self._places or changed is None or changed["rows"] is None:
            self._waiting.append((line["version"], at))
            self._result.set()
            return
        shifts = {place: by for first, last, by in changed["shifts"] for place in range(first, last + 1)}
        told = {row[0]: row[1] for row in changed["rows"]}
        self._places = {n: told.get(n, place and place + shifts.get(place, 0)) for n, place in self._places.items()}
        self.shown.append((now_ms() - at) / 1_000)

    async def ask(self) -> None:
        """Ask for the standings at first, and whenever there is a result they do not show."""
        while not self.is_done:
            await self._result.wait()
            self._result.clear()
            if self._waiting or not self._places:
                wire = await Wire.to(self._url, client=2)
                _, found = await wire.ask("GET", f"{self._path}/standings?round=1")
                await wire.close()
                self._places, now = {row["number"]: row["place"] for row in found["rows"]}, now_ms()
                self.shown += [(now - at) / 1_000 for version, at in self._waiting if version <= found["version"]]
                self._waiting = [each for each in self._waiting if each[0] > found["version"]]
                if self._waiting:
                    self._result.set()


@asynccontextmanager
async def watched(rig: Rig, path: str) -> AsyncIterator[WatchingPage]:
    """Let a page watch."""
    stream = await Wire.to(rig.service.url, client=1)
    page = WatchingPage(rig.service.url, stream, path)
    page.works = [asyncio.create_task(page.follow()), asyncio.create_task(page.ask())]
    try:
        yield page
    finally:
        for work in page.works:
            work.cancel()
        await asyncio.gather(*page.works, return_exceptions=True)
        await stream.close()


async def measure_round(rig: Rig, entrants: int, seconds: float, samples: Samples) -> None:
    """Let bots of the house play a round, and watch it."""
    host = await EventHost.announced(rig.service.url, entrants, client=0)
    await host.enter_bots(entrants)
    await host.ask(type="open_check_in")
    await host.until(lambda view: view["counts"]["here"] == entrants, "see its bots check in")
    async with watched(rig, host.path) as page:
        await host.ask(type="proceed")
        async with asyncio.timeout(LATE_S):
            await page.paired.wait()
        await _dealt(rig, host, page, samples)
        until = ticks_s() + seconds
        while not page.is_done and (ticks_s() < until or not page.shown):
            page.check()
            if ticks_s() > until + LATE_S:
                raise CannotDo("no result came")
            await asyncio.sleep(LOOK_S)
        hop = await bare_hop(rig.place.nats_url, HOPS)
        told, shown = figure(page.told, seconds), figure(page.shown, seconds)
    samples.add("results that were watched", "results", len(page.shown))
    samples.add_waits("a result to a page that watches", told, "a bare hop", hop)
    samples.add_waits("a result in its standings", shown, "a bare hop", hop, "<= 300 ms, p99 <= 1500 ms")
    await host.close()


async def _dealt(rig: Rig, host: EventHost, page: WatchingPage, samples: Samples) -> None:
    """Measure from the pairing until the last table has its dice, beside as many rows that are committed."""
    _, found = await (wire := await Wire.to(rig.service.url, client=3)).ask("GET", f"{host.path}/rounds/1/1")
    await wire.close()
    streams = [f"match/{table['match']}" for table in found["tables"]]
    connection = await asyncpg.connect(rig.place.database_url)
    until = ticks_s() + LATE_S
    while (row := await connection.fetchrow(DEALT, streams))["tables"] < len(streams):
        if ticks_s() > until:
            raise CannotDo(f"{row['tables']} of {len(streams)} tables have dice")
        await asyncio.sleep(LOOK_S)
    lines = await connection.fetchval(LINES, streams)
    await connection.close()
    took_s, floor = (row["at"] - page.paired_at) / 1_000, await bare_insert(rig.place.database_url, FLOOR_ROWS, SLICE_S)
    what = f"{len(streams):,} matches opened, seated, begun and dealt"
    samples.add(what, "s", took_s, f"their {lines:,} lines as bare rows", lines / floor.per_s, "<= 15 s")
