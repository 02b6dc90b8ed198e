"""Readers of one stream, very many of them, as a program: it says when each item has reached the last of them."""

from __future__ import annotations

import asyncio
import sys
from typing import Final, cast
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from infra.files.limit import raise_limit
from services.cli.bench.clients.wire import CLIENTS
from services.cli.operating.until_stopped import event_loop
from services.cli.screen import say

READY, LOST = "ready", "lost"
END: Final = b"\n\r\n"
"""What the head of an answer ends with, and every item: a line, in a chunk of its own."""
BEGUN: Final = 2
"""Ends before the first frame: that of the head, and that of the snapshot."""
OK: Final = b"HTTP/1.1 200"
AT_ONCE: Final = 64
"""Connections that are opened at the same time."""


class ReadersOrder(Struct, frozen=True):
    """Who is to read what.

    Attributes:
        url: The server.
        path: The stream.
        first: The number of the first reader; each comes from an address of its own.
        count: How many there are.
    """

    url: str
    path: str
    first: int
    count: int


class Crowd:
    """All readers of this program."""

    def __init__(self) -> None:
        """Begin with nobody."""
        self._got: dict[int, int] = {}
        self._all = 0

    def open(self, readers: int) -> None:
        """Say that these are all there are."""
        self._all = readers
        say(f"{READY} {readers}")

    def got(self, first: int, behind: int) -> None:
        """Note that one more has these items; say when one has reached the last reader."""
        now = asyncio.get_running_loop().time()
        for item in range(max(first, BEGUN), behind):
            self._got[item] = self._got.get(item, 0) + 1
            if self._got[item] == self._all:
                say(f"{item - BEGUN} {now}")


class Reader(asyncio.Protocol):
    """One reader, who keeps nothing of what it reads."""

    def __init__(self, crowd: Crowd, request: bytes) -> None:
        """Ask for a stream."""
        self._crowd = crowd
        self._request = request
        self._items, self._tail, self._status = 0, b"", b""
        self.begun: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask."""
        cast("asyncio.WriteTransport", transport).write(self._request)

    def data_received(self, data: bytes) -> None:
        """Count the items that have come whole."""
        if len(self._status) < len(OK):
            self._status += data[: len(OK) - len(self._status)]
            if len(self._status) == len(OK) and self._status != OK:
                self.begun.set_result(False)
        whole, before = self._tail + data, self._items
        ends, self._tail = whole.count(END), whole[1 - len(END) :]
        self._items += ends
        if self._items >= BEGUN and not self.begun.done():
            self.begun.set_result(True)
        self._crowd.got(before, self._items)

    def connection_lost(self, _exc: Exception | None) -> None:
        """Say so, unless it never began."""
        if not self.begun.done():
            self.begun.set_result(False)
        elif self.begun.result():
            say(LOST)


async def _read(order: ReadersOrder) -> None:
    raise_limit()
    parts, crowd, loop = urlsplit(order.url), Crowd(), asyncio.get_running_loop()
    gate = asyncio.Semaphore(AT_ONCE)
    host, port = parts.hostname or "", parts.port or 80

    async def read(number: int) -> bool:
        fields = f"Host: {parts.netloc}\r\nX-Forwarded-For: {CLIENTS + number}\r\nAccept: application/x-ndjson\r\n"
        request = f"GET {order.path} HTTP/1.1\r\n{fields}\r\n".encode()
        async with gate:
            _, reader = await loop.create_connection(lambda: Reader(crowd, request), host, port)
            return await reader.begun

    numbers = range(order.first, order.first + order.count)
    begun = sum(await asyncio.gather(*map(read, numbers)))
    crowd.open(begun)
    await loop.create_future()


def main() -> None:
    """Read until ended."""
    order = msgspec.json.decode(sys.argv[1], type=ReadersOrder)
    with asyncio.Runner(loop_factory=event_loop) as runner:
        runner.run(_read(order))


if __name__ == "__main__":
    main()
