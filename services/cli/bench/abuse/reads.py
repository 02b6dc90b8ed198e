"""Reads of one session that has been played for long, by clients that ask as fast as they are answered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

from services.cli.bench.abuse.attempt import ONE, SULK_S, Attempt, crowd, status_of
from services.cli.bench.abuse.floods import WINDOW
from services.cli.bench.clients.wire import Wire
from services.cli.bench.delays import FRAME

STREAM: Final = b"GET %b HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/x-ndjson\r\n\r\n"


async def replay_one_frame(attempt: Attempt) -> None:
    """Ask for the last frame of a replay, over two connections."""
    path = f"{attempt.session.path}/replay?version={attempt.session.version}"
    await attempt.at_once(2, lambda _: _loop(attempt, path))


async def replay_everything(attempt: Attempt) -> None:
    """Ask for a whole replay."""
    await attempt.again_and_again(lambda: _loop(attempt, f"{attempt.session.path}/replay"))


async def openapi(attempt: Attempt) -> None:
    """Ask for the description of the interface, over four connections."""
    await attempt.at_once(4, lambda _: _loop(attempt, "/openapi.json"))


async def audits(attempt: Attempt) -> None:
    """Have a session audited for many clients, each at an address of its own."""
    path = f"{attempt.session.path}/audit"
    await attempt.at_once(attempt.sizes.auditors, lambda which: _loop(attempt, path, crowd(which)))


async def _loop(attempt: Attempt, path: str, source: str = ONE) -> None:
    async with _wire(attempt, source) as wire:
        while attempt.lasts:
            attempt.tally[str(await wire.drop(path))] += 1


async def stream_from_start(attempt: Attempt) -> None:
    """Read a session's stream from its first event on, and when it is read, once more."""
    await attempt.again_and_again(partial(_read_all, attempt))


async def _read_all(attempt: Attempt) -> None:
    async with _wire(attempt, ONE) as wire:
        await wire.follow(f"{attempt.session.path}/stream?after=0")
        attempt.tally[str(await wire.status())] += 1
        while line := await wire.line():
            if line.startswith(FRAME):
                attempt.tally["frames"] += 1
            if line.startswith(b"%b%d," % (FRAME, attempt.session.version)):
                return


async def deaf_readers(attempt: Attempt) -> None:
    """Open streams from the first event on, and never read them."""
    await attempt.at_once(attempt.sizes.deaf, lambda _: _deaf(attempt), SULK_S)


async def _deaf(attempt: Attempt) -> None:
    async with attempt.dial(window=WINDOW) as (reader, writer):
        writer.write(STREAM % f"{attempt.session.path}/stream?after=0".encode())
        attempt.tally[await status_of(reader)] += 1
        await asyncio.sleep(max(0.0, attempt.until - asyncio.get_running_loop().time()))


@asynccontextmanager
async def _wire(attempt: Attempt, source: str) -> AsyncIterator[Wire]:
    wire = await Wire.to(attempt.url, source)
    try:
        yield wire
    finally:
        wire.abort()
