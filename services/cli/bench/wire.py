"""The smallest HTTP/1.1 client that keeps its connection: what a benchmark measures should not be its own client."""

from __future__ import annotations

import asyncio
from typing import Any, Final, Self
from urllib.parse import urlsplit

import msgspec

LENGTH: Final = b"content-length:"


class Wire:
    """One connection, one request at a time."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str) -> None:
        """Speak over these streams."""
        self._reader = reader
        self._writer = writer
        self._host = host

    @classmethod
    async def to(cls, url: str) -> Self:
        """Return a connection to the service at this address."""
        parts = urlsplit(url)
        assert parts.hostname is not None
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port or 80, limit=1 << 22)
        return cls(reader, writer, parts.netloc)

    async def ask(self, method: str, path: str, body: object = None, token: str | None = None) -> tuple[int, Any]:
        """Send a request and return the status and the JSON document of the answer."""
        content = b"" if body is None else msgspec.json.encode(body)
        kind = "Content-Type: application/json\r\n" if content else ""
        await self._send(method, path, content, kind + ("" if token is None else f"Authorization: Bearer {token}\r\n"))
        head = await self._reader.readuntil(b"\r\n\r\n")
        content = await self._reader.readexactly(_length(head))
        return int(head[9:12]), msgspec.json.decode(content) if content else None

    async def follow(self, path: str) -> None:
        """Ask for a stream, which is read line by line."""
        await self._send("GET", path, b"", "Accept: application/x-ndjson\r\n")

    async def line(self) -> bytes:
        """Return the next line of a stream; empty at its end."""
        return await self._reader.readline()

    async def _send(self, method: str, path: str, content: bytes, fields: str) -> None:
        head = f"{method} {path} HTTP/1.1\r\nHost: {self._host}\r\nContent-Length: {len(content)}\r\n{fields}\r\n"
        self._writer.write(head.encode() + content)
        await self._writer.drain()

    async def close(self) -> None:
        """Hang up."""
        self._writer.close()
        await self._writer.wait_closed()


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        if line[: len(LENGTH)].lower() == LENGTH:
            return int(line[len(LENGTH) :])
    return 0
