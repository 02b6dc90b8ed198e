"""An attempt: one run of an attack, with what it is aimed at, until when, and what it has come to so far."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from socket import AF_INET, SO_RCVBUF, SOCK_STREAM, SOL_SOCKET, socket
from typing import Final, Literal
from urllib.parse import urlsplit

from msgspec import Struct

from services.cli.bench.clients.tables import BenchTable

ONE: Final = "127.0.0.66"
"""Where the one client is: the others are at 127.0.0.1, so that bounds by address tell them apart."""
CROWD: Final = 250
"""Addresses, from 127.0.1.1 on, that a crowd comes from."""
BREATH_S: Final = 0.05
"""How long a client waits before it begins anew, so that its loops are bounded when all it gets is a closed door."""
SULK_S: Final = 5.0
"""The same for clients that only want to be connected: what is measured is connections, not connecting."""
READ: Final = 1 << 16

Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class Sizes(Struct, frozen=True):
    """How much of everything the attacks use.

    Attributes:
        long_events: Events of a session whose replay is long.
        storm_events: Events of the session that crowds watch.
        missed: Events that viewers miss before they come back.
        sockets: Sockets that are only kept open, as far as this process may have them.
        streams: Streams that one client opens; more than a process takes.
        deaf: Streams that nobody reads.
        slow: Sockets on which messages come a byte at a time.
        readers: People who watch one session.
        viewers: People who come back at once.
        auditors: Clients that ask for audits, each from an address of its own.
        bot_tables: Tables at which only house bots play, without an end.
        lobbies: Tables at which nobody sits.
        header_mb: Megabytes of one header.
        url_mb: Megabytes of one address.
        fields_mb: Megabytes of small headers.
        pipelined_mb: Megabytes of requests whose answers are not read.
    """

    long_events: int = 7_600
    storm_events: int = 1_500
    missed: int = 6
    sockets: int = 2_000
    streams: int = 2_100
    deaf: int = 20
    slow: int = 200
    readers: int = 2_000
    viewers: int = 200
    auditors: int = 60
    bot_tables: int = 60
    lobbies: int = 10_000
    header_mb: int = 100
    url_mb: int = 50
    fields_mb: int = 30
    pipelined_mb: int = 8

    def tenth(self) -> Sizes:
        """Return a tenth of everything, and at least one."""
        return Sizes(**{name: max(1, getattr(self, name) // 10) for name in self.__struct_fields__})


class Session(Struct, frozen=True):
    """A session that has been played for long, and can be played on.

    Attributes:
        path: Its address.
        version: How many events it has at least.
        tokens: Those of its seats.
    """

    path: str
    version: int
    tokens: dict[int, str]

    def table(self) -> BenchTable:
        """Return its table, from where it stands."""
        return BenchTable(self.path, self.tokens)


class Attempt:
    """One run of an attack.

    Attributes:
        url: The service.
        sizes: How much to use.
        session: The session it is about; attacks that need none have one that is not there.
        until: When it is over, by the time of the loop.
        tally: What it has come to: answers by status, what was cut off, what was opened.
    """

    def __init__(self, url: str, sizes: Sizes, session: Session, until: float) -> None:
        """Begin with nothing done."""
        self.url = url
        self.sizes = sizes
        self.session = session
        self.until = until
        self.tally: Counter[str] = Counter()

    @property
    def lasts(self) -> bool:
        """Whether there is time left."""
        return asyncio.get_running_loop().time() < self.until

    def worst(self, what: str, number: int) -> None:
        """Count the largest of these numbers."""
        self.tally[what] = max(self.tally[what], number)

    async def again_and_again(self, once: Callable[[], Awaitable[None]], pause_s: float = BREATH_S) -> None:
        """Do something anew until it is over; what is cut off is begun again after a pause."""
        while self.lasts:
            try:
                await once()
            except (OSError, EOFError):
                self.tally["cut off"] += 1
                await asyncio.sleep(pause_s)

    async def at_once(self, number: int, once: Callable[[int], Awaitable[None]], pause_s: float = BREATH_S) -> None:
        """Do something so many times at once, each again and again."""

        async def one(which: int) -> None:
            await self.again_and_again(lambda: once(which), pause_s)

        await asyncio.gather(*(one(which) for which in range(number)))

    @asynccontextmanager
    async def dial(self, source: str = ONE, window: int | None = None) -> AsyncIterator[Stream]:
        """Lend a connection from this address, cut off without a word afterwards.

        Args:
            source: The client's address.
            window: Bytes that this end takes before it is read; as many as the system likes, if nothing is said.
        """
        wire = socket(AF_INET, SOCK_STREAM)
        try:
            wire.settimeout(0)  # the loop waits for it
            if window is not None:
                wire.setsockopt(SOL_SOCKET, SO_RCVBUF, window)
            wire.bind((source, 0))
            parts = urlsplit(self.url)
            await asyncio.get_running_loop().sock_connect(wire, (parts.hostname, parts.port))
            reader, writer = await asyncio.open_connection(sock=wire, limit=READ if window is None else window)
        except BaseException:
            wire.close()
            raise
        try:
            yield reader, writer
        finally:
            writer.transport.abort()


class Attack(Struct, frozen=True):
    """One thing that somebody without a token can do.

    Attributes:
        name: What to call it.
        what: What it is, in a line.
        run: Does it; ended at the end of the attempt, wherever it is.
        session: The session it needs.
        times: How many times as long as others it goes on.
    """

    name: str
    what: str
    run: Callable[[Attempt], Awaitable[None]]
    session: Literal["none", "long", "storm"] = "none"
    times: int = 1


def crowd(number: int) -> str:
    """Return the address of somebody in a crowd."""
    return f"127.0.1.{number % CROWD + 1}"


async def status_of(reader: asyncio.StreamReader) -> str:
    """Return the status of an answer, from its first line."""
    line = await reader.readline()
    return line[9:12].decode("ascii", "replace") or "closed"
