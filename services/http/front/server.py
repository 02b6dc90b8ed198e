"""The web server, which holds clients to its terms and ends well.

Plain uvicorn waits for open streams when it is told to stop, or cuts them off. This one first closes the doors: the
service is not ready any more, every stream says bye and ends, and then only commands are left to finish.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, cast

import uvicorn
from litestar import Litestar

from services.http.front.drain import Drain
from services.http.front.gate import Gate
from services.http.front.protocol import Bounded
from services.http.front.proxies import Proxies
from services.http.front.sockets import Sockets, Terms

FINISH_S: Final = 5
"""How long commands may take to finish; an append is one round trip to the database."""
HURRY_S: Final = 4
"""When whoever still waits is told that no answer will come: a second before the line is cut off."""
BYE_S: Final = 1.0
"""How long streams may take to say bye; a reader that does not read is cut off then."""
LAST_S: Final = 0.2
"""How long those who ask again and again have for a last request, whose answer says that the connection ends. Closed
without a word, it may cross one that is on its way, and nobody could tell the client whether that was read."""
_LOOK_S: Final = 0.01
ACCEPTS_MAX: Final = 8
"""How many connections are accepted in a pass of the event loop. When a crowd comes at once, whoever is here already
waits in each pass for the requests of so many."""
BACKLOG: Final = 2_048
"""How many connections wait to be accepted."""
USUAL: Final = Terms()
NOBODY: Final = Proxies()


class BoundedServer(uvicorn.Server):
    """A server that holds clients to its terms, and closes the doors before it stops."""

    def __init__(
        self, app: Litestar, doors: Drain, host: str, port: int, terms: Terms = USUAL, proxies: Proxies = NOBODY
    ) -> None:
        """Serve this application behind these doors; port 0 takes a free one."""
        self._sockets = Sockets(doors, terms)
        super().__init__(
            uvicorn.Config(
                cast("Any", Gate(app, doors, terms, proxies)),
                host=host,
                port=port,
                http=cast("Any", partial(Bounded, self._sockets, proxies)),
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                backlog=ACCEPTS_MAX,
                timeout_graceful_shutdown=FINISH_S,
                ws="none",
            )
        )
        self._doors = doors

    @property
    def port(self) -> int:
        """The port it listens on, once started."""
        return int(self.servers[0].sockets[0].getsockname()[1])

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen. The event loop accepts as many connections at once as may wait, unless they are told apart."""
        await super().startup(sockets)
        for listening in (each for server in self.servers for each in server.sockets):
            with socket.socket(fileno=os.dup(listening.fileno())) as same:
                same.listen(BACKLOG)

    async def on_tick(self, counter: int) -> bool:
        """Look at the sockets, too, as often as the server looks whether it is to stop: ten times a second."""
        self._sockets.look(asyncio.get_running_loop().time())
        return await super().on_tick(counter)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to whoever runs the program: this server is told to stop in another way."""
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close the doors, let streams say bye, then stop. A crash here loses nothing: what matters is in the log."""
        self._doors.close()
        await self._streams_ended()
        for server in self.servers:
            server.close()
        await self._last_asked()
        hurrying = asyncio.get_running_loop().call_later(HURRY_S, self._doors.hurry)
        await super().shutdown(sockets)
        hurrying.cancel()

    async def _streams_ended(self) -> None:
        for _ in range(int(BYE_S / _LOOK_S)):
            if self._doors.streams == 0 and self._doors.guests == 0:
                return
            await asyncio.sleep(_LOOK_S)

    async def _last_asked(self) -> None:
        for _ in range(int(LAST_S / _LOOK_S)):
            if self._doors.sockets == 0:
                return
            await asyncio.sleep(_LOOK_S)
