"""A client of NATS that writes its protocol by hand, so that headers and subjects need not be what a library allows.

The protocol is that of https://docs.nats.io/reference/reference-protocols/nats-protocol.
"""

from __future__ import annotations

import asyncio
import json
from typing import Final, Self
from urllib.parse import urlsplit

INBOX: Final = b"truecup.inbox.nonsense"
ANSWER_S: Final = 30.0
"""Longer than any answer takes."""


class PlainBus:
    """A connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._awaited: dict[bytes, asyncio.Future[bytes]] = {}
        self._pongs: list[asyncio.Future[None]] = []
        self._parts: dict[bytes, list[bytes]] = {}
        self.refused: list[bytes] = []

    @classmethod
    async def connect(cls, url: str) -> tuple[Self, asyncio.Task[None]]:
        """Come to the server at this address; the task hears what it says, for as long as it runs."""
        parts = urlsplit(url)
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        await reader.readline()  # what the server says of itself
        options = {"auth_token": parts.username, "verbose": False, "pedantic": False, "headers": True}
        writer.write(b"CONNECT " + json.dumps(options).encode() + b"\r\nSUB " + INBOX + b".* 1\r\n")
        bus = cls(reader, writer)
        hearing = asyncio.create_task(bus._hear())
        await bus.flush()
        return bus, hearing

    def publish(self, subject: bytes, data: bytes, reply: bytes = b"", headers: bytes = b"") -> None:
        """Send a message, with these bytes as its headers."""
        to = b" ".join(filter(None, (subject, reply)))
        if headers:
            self._writer.write(b"HPUB %b %d %d\r\n%b%b\r\n" % (to, len(headers), len(headers + data), headers, data))
        else:
            self._writer.write(b"PUB %b %d\r\n%b\r\n" % (to, len(data), data))

    async def ask(self, subject: bytes, data: bytes, number: int, headers: bytes = b"") -> bytes | None:
        """Send a question, and return its answer as a whole; None if there is none."""
        reply = b"%b.%d" % (INBOX, number)
        self._awaited[reply] = answered = asyncio.get_running_loop().create_future()
        self.publish(subject, data, reply, headers)
        try:
            async with asyncio.timeout(ANSWER_S):
                return await answered
        except TimeoutError:
            return None
        finally:
            del self._awaited[reply]

    async def flush(self) -> None:
        """Return when the server has taken all that was sent before."""
        ponged: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._pongs.append(ponged)
        self._writer.write(b"PING\r\n")
        async with asyncio.timeout(ANSWER_S):
            await ponged

    def close(self) -> None:
        """Go away."""
        self._writer.transport.abort()

    async def _hear(self) -> None:
        while line := await self._reader.readline():
            kind, *rest = line.split()
            if kind == b"PONG":
                self._pongs.pop(0).set_result(None)
            elif kind == b"PING":
                self._writer.write(b"PONG\r\n")
            elif kind == b"-ERR":
                self.refused.append(line)
            elif kind in {b"MSG", b"HMSG"}:
                await self._take(rest, headed=kind == b"HMSG")

    async def _take(self, told: list[bytes], *, headed: bool) -> None:
        """Take a message: an answer, or a part of one."""
        size, head = int(told[-1]), int(told[-2]) if headed else 0
        body = (await self._reader.readexactly(size + 2))[:-2]
        answered = self._awaited.get(told[0])
        if answered is None or answered.done():
            return
        parts = self._parts.setdefault(told[0], [])
        parts.append(body[head:])
        which = body[:head].partition(b"Truecup-Part:")[2].partition(b"\r\n")[0].strip() or b"1/1"
        if which == b"%d/%d" % (len(parts), len(parts)):
            answered.set_result(b"".join(self._parts.pop(told[0])))
