"""A server that writes what it is given to everybody who reads, as a program: the floor of fan-out.

Whoever sends `GET` is a reader; whoever sends `PUT` gives it a length and so many bytes, again and again, and is
answered a byte when they are in the hands of the system for every reader.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from infra.files.limit import raise_limit
from services.cli.bench.rig.rig import LOOPBACK, MARK
from services.cli.operating.until_stopped import event_loop
from services.cli.screen import say

HEAD: Final = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
SNAPSHOT: Final = b"3\r\n{}\n\r\n"
BACKLOG: Final = 2_048
PUT: Final = b"PUT"


class RawServer:
    """All readers of one server."""

    def __init__(self) -> None:
        """Begin with nobody."""
        self._readers: list[asyncio.StreamWriter] = []

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            asked = await reader.readuntil(b"\r\n\r\n")
            if asked.startswith(PUT):
                await self._write_all(reader, writer)
            else:
                self._readers.append(writer)
                writer.write(HEAD + SNAPSHOT)
                await reader.read()

    async def _write_all(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while length := int(await reader.readline() or b"0"):
            body = await reader.readexactly(length)
            for each in self._readers:
                each.write(body)
            for each in self._readers:
                await each.drain()
            writer.write(b"\n")


async def _serve() -> None:
    raise_limit()
    server = await asyncio.start_server(RawServer().take, LOOPBACK, 0, backlog=BACKLOG)
    say(f"{MARK}http://{LOOPBACK}:{server.sockets[0].getsockname()[1]}")
    await server.serve_forever()


def main() -> None:
    """Serve until interrupted."""
    with asyncio.Runner(loop_factory=event_loop) as runner, suppress(KeyboardInterrupt):
        runner.run(_serve())


if __name__ == "__main__":
    main()
