"""The smallest HTTP/1.1 client that keeps its connection: what a benchmark measures should not be its own client."""

from __future__ import annotations

import asyncio
from ipaddress import IPv4Address
from typing import Any, Final, Self
from urllib.parse import urlsplit

import msgspec

CLIENTS: Final = IPv4Address("198.18.0.0")
"""The first client's address: of those set apart for benchmarks (RFC 2544), 131,072."""
LENGTH: Final = b"content-length:"
CHUNKED: Final = b"transfer-encoding: chunked"
PIECE: Final = 1 << 16
"""Bytes read at once of what is not kept."""


class Wire:
    """One connection, one request at a time."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str, client: str | None
    ) -> None:
        """Speak over these streams, for a client at this address or for itself."""
        self._reader = reader
        self._writer = writer
        self._whom = f"Host: {host}\r\n" + ("" if client is None else f"X-Forwarded-For: {client}\r\n")

    @classmethod
    async def to(cls, url: str, source: str | None = None, client: int | None = None) -> Self:
        """Return a connection to the service at this address, from one of this machine's own if one is named.

        For the client of a number it speaks as a proxy would, and the service holds each to the bounds of one.
        """
        parts = urlsplit(url)
        assert parts.hostname is not None
        own = None if source is None else (source, 0)
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port or 80, limit=1 << 22, local_addr=own)
        return cls(reader, writer, parts.netloc, None if client is None else str(CLIENTS + client))

    async def ask(self, method: str, path: str, body: object = None, token: str | None = None) -> tuple[int, Any]:
        """Send a request and return the status and the JSON document of the answer."""
        content = b"" if body is None else msgspec.json.encode(body)
        kind = "Content-Type: application/json\r\n" if content else ""
        await self._send(method, path, content, kind + ("" if token is None else f"Authorization: Bearer {token}\r\n"))
        head = await self._reader.readuntil(b"\r\n\r\n")
        content = await self._reader.readexactly(_length(head))
        return int(head[9:12]), msgspec.json.decode(content) if content else None

    async def drop(self, path: str) -> int:
        """Ask for something of any length, read it without keeping it, and return the status of the answer."""
        await self._send("GET", path, b"", "")
        head = await self._reader.readuntil(b"\r\n\r\n")
        if CHUNKED not in head.lower():
            await self._pass_over(_length(head))
            return int(head[9:12])
        while size := int(await self._reader.readline(), 16):
            await self._pass_over(size + 2)
        await self._pass_over(2)
        return int(head[9:12])

    async def _pass_over(self, size: int) -> None:
        while size > 0:
            size -= len(await self._reader.readexactly(min(size, PIECE)))

    async def follow(self, path: str, token: str | None = None) -> None:
        """Ask for a stream, which is read line by line."""
        fields = "" if token is None else f"Authorization: Bearer {token}\r\n"
        await self._send("GET", path, b"", f"Accept: application/x-ndjson\r\n{fields}")

    async def status(self) -> int:
        """Return the status of an answer; the rest of its head is read line by line.

        Raises:
            EOFError: The service has hung up.
        """
        first = await self._reader.readline()
        if not first:
            raise EOFError
        return int(first[9:12])

    async def line(self) -> bytes:
        """Return the next line of a stream; empty at its end."""
        return await self._reader.readline()

    async def _send(self, method: str, path: str, content: bytes, fields: str) -> None:
        head = f"{method} {path} HTTP/1.1\r\n{self._whom}Content-Length: {len(content)}\r\n{fields}\r\n"
        self._writer.write(head.encode() + content)
        await self._writer.drain()

    def abort(self) -> None:
        """Hang up without a word, and drop what was not sent yet."""
        self._writer.transport.abort()

    async def close(self) -> None:
        """Hang up."""
        self._writer.close()
        await self._writer.wait_closed()


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        if line[: len(LENGTH)].lower() == LENGTH:
            return int(line[len(LENGTH) :])
    return 0
