"""WebSockets on which nothing is said, or slowly, or nothing is read, or far too much is asked for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Final
from uuid import UUID

import msgspec

from services.cli.bench.abuse.attempt import SULK_S, Attempt, Stream, status_of
from services.cli.bench.abuse.floods import CHUNK, WINDOW, hold_until_hung_up
from services.cli.bench.clients.socketwire import frame_of, handshake

HOST: Final = "127.0.0.1"
END: Final = b"\r\n\r\n"
SLOWLY_S: Final = 0.05
"""Between two bytes of those who write slowly."""
WATCHES: Final = 32
"""Matches that one socket may follow."""
MADE_UP: Final = "truecup_seat_" + "A" * 43
NOTHING: Final = frame_of(b'{"id":1,"do":"nothing"}')
PING: Final = frame_of(b"", 0x89)
NOWHERE: Final = str(UUID(int=1))
HALVES: Final = (b"", NOTHING[:-1], PING)
"""Nothing, half a message, and what asks for no answer but one of the protocol."""


def _message(**members: object) -> bytes:
    return frame_of(msgspec.json.encode(members))


@asynccontextmanager
async def _opened(attempt: Attempt, window: int | None = None) -> AsyncIterator[Stream]:
    """Lend a socket; the answer to its handshake is counted.

    Raises:
        EOFError: The service opens none.
    """
    async with attempt.dial(window=window) as (reader, writer):
        writer.write(handshake(HOST))
        status = await status_of(reader)
        attempt.tally[status] += 1
        if status != "101":
            raise EOFError
        await reader.readuntil(END)
        yield reader, writer


async def idle(attempt: Attempt) -> None:
    """Keep sockets open on which nothing is said, or half a message, or a ping."""
    await attempt.at_once(attempt.sizes.sockets, partial(_hold, attempt), SULK_S)


async def _hold(attempt: Attempt, number: int) -> None:
    async with _opened(attempt) as (reader, writer):
        writer.write(HALVES[number % len(HALVES)])
        await hold_until_hung_up(attempt, reader)


async def slow_writers(attempt: Attempt) -> None:
    """Write messages a byte at a time, over many sockets."""
    await attempt.at_once(attempt.sizes.slow, lambda _: _write_slowly(attempt))


async def _write_slowly(attempt: Attempt) -> None:
    async with _opened(attempt) as (reader, writer):
        reading = asyncio.ensure_future(_read(reader))
        try:
            while attempt.lasts and not reading.done():
                for place in range(len(NOTHING)):
                    writer.write(NOTHING[place : place + 1])
                    await asyncio.sleep(SLOWLY_S)
                attempt.tally["messages"] += 1
        finally:
            await _ended(reading)


async def deaf_watchers(attempt: Attempt) -> None:
    """Follow a long session from its first event on, as often as a socket may, over sockets that are never read."""
    await attempt.at_once(attempt.sizes.deaf, lambda _: _deaf(attempt), SULK_S)


async def _deaf(attempt: Attempt) -> None:
    match = attempt.session.path.rpartition("/")[2]
    async with _opened(attempt, WINDOW) as (_, writer):
        for number in range(WATCHES):
            writer.write(_message(id=number, do="watch", match=match, after=0))
        await asyncio.sleep(max(0.0, attempt.until - asyncio.get_running_loop().time()))


async def command_flood(attempt: Attempt) -> None:
    """Send commands with a token that nobody has as fast as they are taken, over four sockets; answers are read."""
    asked = {"do": "command", "match": NOWHERE, "token": MADE_UP, "command": {"type": "challenge"}}
    many = b"".join(_message(id=number, key=f"flood-{number:010}", **asked) for number in range(len(CHUNK) // 256))
    await attempt.at_once(4, lambda _: _flood(attempt, many))


async def message_flood(attempt: Attempt) -> None:
    """Send messages that ask for nothing, and pings, as fast as they are taken, over four sockets."""
    many = (NOTHING + PING * 8) * (len(CHUNK) // 128)
    await attempt.at_once(4, lambda _: _flood(attempt, many))


async def unread_commands(attempt: Attempt) -> None:
    """Send commands without end, over sockets that are never read."""
    asked = {"do": "command", "match": NOWHERE, "token": MADE_UP, "command": {"type": "challenge"}}
    many = b"".join(_message(id=number, key=f"deaf-{number:010}", **asked) for number in range(len(CHUNK) // 256))
    await attempt.at_once(attempt.sizes.deaf, lambda _: _flood(attempt, many, reads=False), SULK_S)


async def _flood(attempt: Attempt, data: bytes, *, reads: bool = True) -> None:
    async with _opened(attempt, None if reads else WINDOW) as (reader, writer):
        reading = asyncio.ensure_future(_read(reader)) if reads else None
        try:
            while attempt.lasts and not (reading is not None and reading.done()):
                writer.write(data)
                await writer.drain()
                attempt.tally["bytes"] += len(data)
        finally:
            if reading is not None:
                await _ended(reading)
    if attempt.lasts:
        raise EOFError


async def _read(reader: asyncio.StreamReader) -> None:
    """Read until the service hangs up, and keep nothing."""
    while await reader.read(len(CHUNK)):
        continue


async def _ended(reading: asyncio.Future[None]) -> None:
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
