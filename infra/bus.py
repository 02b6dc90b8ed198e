"""The NATS connection: what all that travels over it have in common."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, Final

import nats.errors
from nats.aio.client import Client, Srv
from nats.aio.subscription import Subscription
from nats.aio.transport import TcpTransport

from infra.store import Unavailable

INBOX: Final = "truecup.inbox"
"""Below which subject answers come back, to whoever asked."""
REPLICAS: Final = 3
"""How many servers of a cluster keep what it keeps: most of them have to answer, whichever is lost."""
CONNECT_S: Final = 30.0
"""How long the bus may be silent while a program starts, which gives up without it. A machine that has just begun, or
has much to do, starts everything at once: the database has 10 s there, and a child of a program 60 s. Once it was
reached it is looked for without end, and all who ask meanwhile are told within their own times."""
REFUSED_S: Final = 5.0
"""How long it may say no instead, as where nobody listens at its address, nobody knows its name, or it knows no such
login: that is rarely a bus which is still to begin, and whoever starts the program is to hear of it soon."""
FLUSH_S: Final = 1
"""How long the server may take to answer a ping, in whole seconds, as the library has it."""


def replicas_at(servers: Sequence[str]) -> int:
    """Return how many servers keep what the bus keeps if nobody says so: three, of which one may be lost, or one.

    Two are no help, for both would be needed.
    """
    return REPLICAS if len(servers) >= REPLICAS else 1


@contextmanager
def name_failures() -> Iterator[None]:
    """Name the world's no."""
    try:
        yield
    except (nats.errors.Error, OSError, TimeoutError) as trouble:
        raise Unavailable(f"the bus does not answer: {type(trouble).__name__}") from trouble


@asynccontextmanager
async def first_reached(client: Client, wait_s: float | None = None) -> AsyncIterator[None]:
    """Bound how long a client looks for its first server: so many seconds, or if nothing is said, as a start may.

    Raises:
        TimeoutError: None was found.
    """
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(CONNECT_S if wait_s is None else wait_s) as limit:
        looking = loop.call_later(REFUSED_S if wait_s is None else wait_s, _end_if_refused, client, limit)
        try:
            yield
        finally:
            looking.cancel()


def _end_if_refused(client: Client, limit: asyncio.Timeout) -> None:
    """Let the time be over if a server said no when it was last looked for, and was not only silent."""
    if client.last_error is not None and not isinstance(client.last_error, TimeoutError) and not limit.expired():
        limit.reschedule(asyncio.get_running_loop().time())


class BusClient(Client):
    """The library's client, which goes on hearing when a ping is answered that nobody waits for any more.

    The library gives up a ping by cancelling what its answer would be told to, and fails when the answer comes all the
    same: it then reads no more, says that it is connected, and finds out when answers are missed. Anybody could bring
    that about by opening a stream and leaving at once.

    It takes headers that nobody can read for none. The library fails at those that are shorter than their first line,
    or say in it what is no text, and then reads no more: one message of whoever may publish anything would make every
    program deaf that hears it, until answers are missed.

    It goes to no servers but those that it was told of. Others, which a cluster names by itself, may have addresses
    that lead nowhere from here, and the library knows no login there and gives up for ever where it needs one.

    It ends when it is told to, also while it looks for a server. The library waits for one with `asyncio.wait_for`,
    which forgets before 3.12 that its task was cancelled if a server takes or refuses the connection in the same pass:
    it would go on for ever, four times a second, and be connected again after its goodbye.

    It says that the connection is gone where the library, which has not heard of it yet, hands on what the event loop
    says to that: an error of a program, by which a match would seem to be at fault.
    """

    async def _process_info(self, info: dict[str, Any], initial_connection: bool = False) -> None:  # noqa: FBT001, FBT002 - the library's
        """Take what a server says of itself, and nothing of where others of its cluster are."""
        await super()._process_info({**info, "connect_urls": []}, initial_connection)

    async def _close(self, status: int, do_cbs: bool = True) -> None:  # noqa: FBT001, FBT002 - the library's
        """Close, without what waits to be sent where the connection is gone already.

        The library writes it all the same, which the event loop refuses (uvloop), and stays half closed.
        """
        if not self.is_connected or self._is_cut():
            self._pending, self._pending_data_size = [], 0
        try:
            await super()._close(status, do_cbs)
        except asyncio.CancelledError:
            # Nobody has cancelled this where the task that looked for a server waited for the same connection to end.
            _heed_end()
        self._status = status  # whatever was about to connect has said otherwise meanwhile

    async def _connect_to_server(self, s: Srv) -> None:
        """Connect to this server, unless it is to be looked for no longer."""
        _heed_end()
        await super()._connect_to_server(s)
        _heed_end()

    async def _process_connect_init(self) -> None:
        """Greet the server that took the connection, and end what listens to it if the task is to end."""
        await super()._process_connect_init()
        try:
            _heed_end()
        except asyncio.CancelledError:
            for task in (self._reading_task, self._ping_interval_task, self._flusher_task):
                if task is not None:
                    task.cancel()
            raise

    async def _flush_pending(self, force_flush: bool = False) -> object:  # noqa: FBT001, FBT002 - the library's
        """Send what waits to be sent.

        Raises:
            ConnectionResetError: The connection is gone.
        """
        try:
            return await super()._flush_pending(force_flush)
        except RuntimeError as trouble:
            raise _reset() from trouble

    async def _ping_interval(self) -> None:
        """Ask again and again whether the server is there, for as long as the connection is."""
        with suppress(ConnectionResetError):
            await super()._ping_interval()

    async def _send_subscribe(self, sub: Subscription) -> None:
        """Tell the server what is to be heard. A connection that is gone is told nothing, and the next one all."""
        with suppress(ConnectionResetError):
            await super()._send_subscribe(sub)

    async def _send_unsubscribe(self, sid: int, limit: int = 0) -> None:
        """Tell the server what is to be heard no more; who has lost the connection has forgotten it."""
        with suppress(ConnectionResetError):
            await super()._send_unsubscribe(sid, limit)

    async def _attempt_reconnect(self) -> None:
        """Look for a server. Who was told to look no longer has nothing to say to those that wait for the next."""
        try:
            await super()._attempt_reconnect()
        except asyncio.InvalidStateError:
            if asyncio.current_task() is self._reconnection_task and not self.is_closed:
                raise

    def _is_cut(self) -> bool:
        """Report whether the event loop has closed the connection, of which the library may not have heard yet."""
        writer = self._transport._io_writer if isinstance(self._transport, TcpTransport) else None  # noqa: SLF001 - nothing else knows of it
        return writer is not None and writer.transport.is_closing()

    async def _process_headers(self, headers: bytes) -> dict[str, str] | None:
        """Return what headers say; None where that cannot be read."""
        try:
            return await super()._process_headers(headers)
        except (IndexError, UnicodeDecodeError):
            return None

    async def _process_pong(self) -> None:
        """Take the answer to the oldest ping; where that was given up, for nobody."""
        if self._pongs and self._pongs[0].done():
            self._pongs[0] = asyncio.get_running_loop().create_future()
        await super()._process_pong()


def _heed_end() -> None:
    """End the task if somebody has cancelled it, whoever has forgotten that."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def _reset() -> ConnectionResetError:
    """Return what a closed connection is; the event loop (uvloop) says it as an error of the program that writes."""
    return ConnectionResetError("the connection is closed")


async def flush(client: Client) -> None:
    """Return when the server has all that was sent to it before. Cost: two round trips.

    The library lets a ping overtake what still waits to be sent. Once it is answered nothing waits any more, so that
    the second one is behind everything.

    Raises:
        ConnectionResetError: The connection is gone, and the library has not heard of it yet.
    """
    for _ in range(2):
        try:
            await client.flush(timeout=FLUSH_S)
        except RuntimeError as trouble:
            raise _reset() from trouble
