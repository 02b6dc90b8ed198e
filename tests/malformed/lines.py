"""Connections of clients in the server's own process: it is known when nothing more will come of what was sent."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, Self, cast

from tests.malformed.house import House

LOOK_S: Final = 0.005
QUIET: Final = 3
"""How often in a row nothing comes, while nothing is answered, until it counts as nothing."""
LOOKS_MAX: Final = 1_000


STREAMS: Final = re.compile(rb"\r\ncontent-type: (text/event-stream|application/x-ndjson)")
"""What may have no end."""


class Line(asyncio.Protocol):
    """One connection."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._came = bytearray()
        self._stirred = asyncio.Event()
        self._over = False
        self._transport: asyncio.Transport | None = None

    @classmethod
    @asynccontextmanager
    async def opened(cls, house: House, number: int) -> AsyncIterator[Self]:
        """Connect from an address that belongs to this number, and leave without a word in the end."""
        source = f"127.{128 + (number >> 14 & 63)}.{number >> 7 & 127}.{1 + (number & 127)}"
        loop = asyncio.get_running_loop()
        transport, line = await loop.create_connection(
            lambda: cls(house), "127.0.0.1", house.port, local_addr=(source, 0)
        )
        try:
            yield line
        finally:
            transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._came += data
        self._stirred.set()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - as the library has it
        self._over = True
        self._stirred.set()

    def send(self, data: bytes) -> None:
        """Send this, unless the server has hung up."""
        if not self._over and self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)

    async def breathe(self) -> None:
        """Let the server take what was sent."""
        await asyncio.sleep(0)

    async def until(self, end: bytes) -> bytes:
        """Return what comes with this at its end, or without it where nothing more comes or a stream begins."""
        quiet = 0
        for _ in range(LOOKS_MAX):
            if (at := self._came.find(end)) >= 0:
                found = bytes(self._came[: at + len(end)])
                del self._came[: at + len(end)]
                return found
            if self._over or quiet == QUIET or STREAMS.search(self._came):
                break
            quiet = quiet + 1 if not await self._stirs() and not self._house.is_answering() else 0
        return self._take()

    async def rest(self) -> bytes:
        """Return all that still comes."""
        return await self.until(b"nothing that anybody says")

    async def _stirs(self) -> bool:
        self._stirred.clear()
        if self._over:
            return True
        try:
            async with asyncio.timeout(LOOK_S):
                await self._stirred.wait()
        except TimeoutError:
            return False
        return True

    def _take(self) -> bytes:
        came, self._came = bytes(self._came), bytearray()
        return came
