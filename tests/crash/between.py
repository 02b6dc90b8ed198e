"""A way to witnesses with a gate in it: what goes to them, and what comes back, is held while the gate is shut."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit


class Gate:
    """A relay of connections to one address.

    Attributes:
        url: Where it listens.
        asks: Set while requests pass.
        answers: Set while answers pass.
        held: Set once something waits.
    """

    def __init__(self, to: str) -> None:
        self._to = urlsplit(to)
        self.url = ""
        self.asks, self.answers, self.held = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.open()

    def open(self) -> None:
        self.asks.set()
        self.answers.set()

    async def relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        back: asyncio.StreamWriter | None = None
        with suppress(ConnectionError, asyncio.CancelledError):
            answer, back = await asyncio.open_connection(self._to.hostname, self._to.port)
            await asyncio.gather(self._pass(reader, back, self.asks), self._pass(answer, writer, self.answers))
        for each in (writer, back):
            if each is not None:
                each.close()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, gate: asyncio.Event) -> None:
        while data := await reader.read(65_536):
            if not gate.is_set():
                self.held.set()
                await gate.wait()
            writer.write(data)
            await writer.drain()
        writer.close()


@asynccontextmanager
async def gated(to: str) -> AsyncIterator[Gate]:
    """Put a gate before an address."""
    gate = Gate(to)
    server = await asyncio.start_server(gate.relay, "127.0.0.1", 0)
    gate.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield gate
    finally:
        gate.open()
        server.close()
