"""An address that is told what happens, and what it makes of it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import msgspec
from msgspec import Struct


class Heard(Struct, frozen=True):
    """A post as it came."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def message(self) -> Any:
        return msgspec.json.decode(self.body)


class Ear:
    """Hears posts, and answers with a status after the other; with the last one for ever.

    Attributes:
        heard: What came.
        statuses: What it answers next.
        rest: What follows the head of an answer, again and again.
    """

    def __init__(self, *statuses: int, rest: bytes = b"", head: bytes = b"") -> None:
        self.heard: list[Heard] = []
        self.statuses = list(statuses or (204,))
        self.cut = 0
        self._rest, self._head = rest, head
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._answer(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.cut += 1
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first, *fields = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[:-2]
        headers = {name.lower(): value for name, _, value in (field.partition(": ") for field in fields)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        self.heard.append(Heard(first.split()[1], headers, body))
        await self.before(self.heard[-1])
        status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        writer.write(
            b"HTTP/1.1 %d Said\r\nContent-Length: %d\r\n%s\r\n" % (status, 10**9 * bool(self._rest), self._head)
        )
        await writer.drain()
        while self._rest:
            writer.write(self._rest)
            await writer.drain()

    async def before(self, heard: Heard) -> None:
        """Do what has to be done before a post is answered."""

    @property
    def types(self) -> list[str]:
        return [one.message["type"] for one in self.heard]

    @property
    def ids(self) -> list[str]:
        return [one.headers["webhook-id"] for one in self.heard]


class SlowEar(Ear):
    """Answers nothing before it is let, or after a time, and counts whose posts it keeps waiting, and how many."""

    def __init__(self, after_s: float = 60.0) -> None:
        super().__init__(204)
        self.now: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.answers = asyncio.Event()
        self._after_s = after_s

    async def before(self, heard: Heard) -> None:
        of = (heard.message["data"]["tournament"], "all")
        self.now.update(of)
        self.most |= self.now
        with suppress(TimeoutError):
            await asyncio.wait_for(self.answers.wait(), self._after_s)
        self.now.subtract(of)


@asynccontextmanager
async def listening(ear: Ear) -> AsyncIterator[Ear]:
    """Listen on loopback."""
    server = await asyncio.start_server(ear.serve, "127.0.0.1", 0)
    ear.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/told"
    try:
        yield ear
    finally:
        server.close()
