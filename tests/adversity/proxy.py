"""A proxy between a program and a server: it hands bytes on, until a test says what the line between them does.

It holds, delays, cuts and closes, each way by itself. What is held is handed on when the lane opens again, as a network
does that comes back; what is cut is lost. A listener hears each connection message by message, where it knows how.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol
from urllib.parse import parse_qs, quote, urlsplit

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
PIECE = 65_536
SOCKET = ".s.PGSQL.5432"
RESET = struct.pack("ii", 1, 0)
"""Who closes a socket that lingers so sends a reset: socket(7)."""


class Listening(Protocol):
    """What hears one connection; both say whether the proxy is to keep what it heard, and all that comes later."""

    async def next_asked(self, reader: asyncio.StreamReader) -> tuple[bytes, bool]:
        """Return the next piece a program says, empty at the end, and whether it is kept."""

    async def next_answered(self, reader: asyncio.StreamReader) -> tuple[bytes, bool]:
        """Return the next piece a server says, empty at the end, and whether it is kept."""


class Deaf:
    """Hears nothing, and keeps nothing."""

    async def next_asked(self, reader: asyncio.StreamReader) -> tuple[bytes, bool]:
        """Return whatever there is."""
        return await reader.read(PIECE), False

    next_answered = next_asked


class Lane:
    """One way of a line.

    Attributes:
        delay_s: How long each piece takes.
        bytes_s: How many bytes pass in a second; 0 if as many as come.
        held: Set once something waits.
    """

    def __init__(self) -> None:
        """Begin open."""
        self.delay_s = self.bytes_s = 0.0
        self.held = asyncio.Event()
        self._is_open = asyncio.Event()
        self._is_open.set()

    def shut(self) -> None:
        """Hold whatever comes."""
        self.held.clear()
        self._is_open.clear()

    def open(self) -> None:
        """Hand on what is held, and whatever comes, as fast as it does."""
        self.delay_s = self.bytes_s = 0.0
        self._is_open.set()

    async def through(self, size: int) -> None:
        """Return when a piece of so many bytes may pass."""
        if not self._is_open.is_set():
            self.held.set()
            await self._is_open.wait()
        if self.delay_s or self.bytes_s:
            await asyncio.sleep(self.delay_s + (size / self.bytes_s if self.bytes_s else 0.0))


class Proxy:
    """Stands before a server.

    Attributes:
        url: Where programs find it.
        asks: The way to the server.
        answers: The way back.
        reached: Set once a listener has kept something; then nothing passes either way until `break_off`.
        swallows: Whether a server that hangs up, or is cut off, is gone without a word: programs are not told.
        refuses: Whether whoever comes is sent away.
    """

    def __init__(self, connect: Callable[[], Awaitable[Streams]], listener: Callable[[], Listening] = Deaf) -> None:
        """Lead to what `connect` connects to, and let each connection have a listener of its own."""
        self._connect, self._listener = connect, listener
        self.url = ""
        self.asks, self.answers = Lane(), Lane()
        self.reached = asyncio.Event()
        self.swallows = self.refuses = False
        self._pairs: list[tuple[asyncio.StreamWriter, asyncio.StreamWriter]] = []

    @property
    def connections(self) -> int:
        """How many there are."""
        return len(self._pairs)

    def shut(self) -> None:
        """Hold whatever comes, either way."""
        self.asks.shut()
        self.answers.shut()

    def open(self) -> None:
        """Let everything pass again."""
        self.asks.open()
        self.answers.open()

    def cut(self) -> None:
        """Break every connection there is at both its ends, as a machine does that knows nothing of it."""
        for pair in self._pairs:
            for one in pair:
                _reset(one)

    def close_all(self) -> None:
        """End every connection there is in good order, in the middle of whatever is said."""
        for pair in self._pairs:
            for one in pair:
                one.close()

    def cut_off(self) -> None:
        """Take the server away from every connection there is, and tell no program of it."""
        self.swallows = True
        for _, server in self._pairs:
            _reset(server)

    def break_off(self) -> None:
        """Cut what there is, forget what is held, and let everything pass from now on."""
        self.cut()
        self.swallows = False
        self.open()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Hand on one connection."""
        if self.refuses:
            _reset(writer)
            return
        try:
            answers, server = await self._connect()
        except OSError:
            _reset(writer)
            return
        pair, listener = (writer, server), self._listener()
        self._pairs.append(pair)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._pass(listener.next_asked, reader, server, self.asks))
                group.create_task(self._pass(listener.next_answered, answers, writer, self.answers))
        except* (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            self._pairs.remove(pair)
            for one in pair:
                one.close()

    async def _pass(
        self,
        following: Callable[[asyncio.StreamReader], Awaitable[tuple[bytes, bool]]],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        lane: Lane,
    ) -> None:
        """Hand on what comes one way; the end of it is the end of both."""
        piece = b"-"
        while piece:
            try:
                piece, kept = await following(reader)
            except (OSError, asyncio.IncompleteReadError):
                piece, kept = b"", False
            if kept:
                self.shut()
                self.reached.set()
            await lane.through(len(piece))
            if not writer.is_closing():
                writer.write(piece)
                await writer.drain()
            elif not self.swallows:
                break
        if lane is self.asks or not self.swallows:
            writer.close()
            raise ConnectionAbortedError("it is over")


def _reset(writer: asyncio.StreamWriter) -> None:
    transport = writer.transport
    under = transport.get_extra_info("socket")
    if under is not None and under.family in {socket.AF_INET, socket.AF_INET6} and not transport.is_closing():
        under.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    transport.abort()


def way_to(url: str) -> Callable[[], Awaitable[Streams]]:
    """Return how to connect to a server that is named by its address, a Postgres on a socket of this machine too."""
    parts = urlsplit(url)
    folder = parse_qs(parts.query).get("host")
    if folder is not None:
        return lambda: asyncio.open_unix_connection(Path(folder[0]) / SOCKET)
    return lambda: asyncio.open_connection(parts.hostname, parts.port)


@asynccontextmanager
async def proxied(
    url: str,
    listener: Callable[[], Listening] = Deaf,
    *,
    below: Path | None = None,
    reach: Callable[[], Awaitable[Streams]] | None = None,
) -> AsyncIterator[Proxy]:
    """Put a proxy before a server, on a port of its own, or on a socket in a folder.

    Args:
        url: Where the server is.
        listener: Hears each connection.
        below: The folder of the socket of a Postgres.
        reach: Connects to the server, where its address may change.
    """
    proxy, parts = Proxy(reach or way_to(url), listener), urlsplit(url)
    if below is not None:
        server = await asyncio.start_unix_server(proxy.serve, below / SOCKET)
        proxy.url = parts._replace(query=f"host={quote(str(below))}").geturl()
    else:
        server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
        login = parts.netloc.rpartition("@")
        place = f"{login[0]}{login[1]}127.0.0.1:{server.sockets[0].getsockname()[1]}"
        query = "sslmode=disable" if parts.scheme.startswith("postgres") else parts.query
        proxy.url = parts._replace(netloc=place, query=query).geturl()
    try:
        yield proxy
    finally:
        proxy.break_off()
        server.close()
