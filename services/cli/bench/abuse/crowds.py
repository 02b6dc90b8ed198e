"""Streams of a session in play: one client that takes them all, people who come back at once, and very many people."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Final

from services.cli.bench.abuse.attempt import ONE, READ, SULK_S, Attempt, crowd, status_of
from services.cli.bench.abuse.reads import STREAM
from services.cli.bench.clients.tables import BenchTable
from services.cli.bench.clients.wire import Wire
from services.cli.bench.delays import FRAME

BID_S: Final = 1.0
"""How often somebody acts in a session that people watch."""
DEAL_S: Final = 0.01
CAUGHT_UP: Final = "slowest catch-up, ms"


async def all_streams(attempt: Attempt) -> None:
    """Open more streams than there are, from one address, and read them."""
    await attempt.at_once(attempt.sizes.streams, lambda _: _watch(attempt, ONE), SULK_S)


async def readers(attempt: Attempt) -> None:
    """Watch one session, each from an address few others have, while somebody bids once a second."""
    watching = attempt.at_once(attempt.sizes.readers, lambda which: _watch(attempt, crowd(which)), SULK_S)
    await asyncio.gather(watching, attempt.again_and_again(partial(_bid, attempt)))


async def _watch(attempt: Attempt, source: str) -> None:
    async with attempt.dial(source) as (reader, writer):
        writer.write(STREAM % f"{attempt.session.path}/stream".encode())
        attempt.tally[await status_of(reader)] += 1
        while read := await reader.read(READ):
            attempt.tally["bytes"] += len(read)
    attempt.tally["closed"] += 1
    await asyncio.sleep(SULK_S)


async def _bid(attempt: Attempt) -> None:
    wire, table = await Wire.to(attempt.url), attempt.session.table()
    try:
        while attempt.lasts:
            await play(wire, table)
            await asyncio.sleep(BID_S)
    finally:
        wire.abort()


async def play(wire: Wire, table: BenchTable) -> int:
    """Act once, when the table is dealt, and return the version it led to."""
    while True:
        version = await table.act(wire) if await table.ready(wire) else None
        if version is not None:
            return version
        await asyncio.sleep(DEAL_S)


async def reconnect_storm(attempt: Attempt) -> None:
    """Come back, all viewers at once, after a few events were missed; and when all have caught up, once more."""
    await attempt.again_and_again(partial(_storms, attempt))


async def _storms(attempt: Attempt) -> None:
    wire, table = await Wire.to(attempt.url), attempt.session.table()
    try:
        before = after = await play(wire, table)
        while attempt.lasts:
            for _ in range(attempt.sizes.missed):
                after = await play(wire, table)
            await asyncio.gather(*(_come_back(attempt, which, before, after) for which in range(attempt.sizes.viewers)))
            attempt.tally["storms"] += 1
            before = after
    finally:
        wire.abort()


async def _come_back(attempt: Attempt, which: int, before: int, after: int) -> None:
    """Read what was missed. One that is turned away does not hold up the others."""
    clock = asyncio.get_running_loop().time
    begun = clock()
    try:
        await _catch_up(attempt, crowd(which), before, after)
    except (OSError, EOFError):
        attempt.tally["cut off"] += 1
    else:
        attempt.worst(CAUGHT_UP, int(1_000 * (clock() - begun)))


async def _catch_up(attempt: Attempt, source: str, before: int, after: int) -> None:
    wire = await Wire.to(attempt.url, source)
    try:
        await wire.follow(f"{attempt.session.path}/stream?after={before}")
        attempt.tally[str(await wire.status())] += 1
        while line := await wire.line():
            if line.startswith(FRAME) and int(line[len(FRAME) : line.index(b",")]) >= after:
                attempt.tally["caught up"] += 1
                return
    finally:
        wire.abort()
