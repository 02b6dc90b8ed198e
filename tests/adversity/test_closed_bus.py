"""A bus whose connection is gone before its client knows: that is the world's no, and no fault of ours."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import uvloop
from nats.aio.msg import Msg
from nats.aio.transport import TcpTransport

from infra.bus import BusClient, flush, name_failures
from infra.feed.listening import NatsListening
from infra.handoff.nats import DEALERS_THERE, NatsHandoff
from infra.store import Unavailable
from services.local.nats import EmbeddedNats


class Breaking(BusClient):
    """A client whose connection the event loop closes."""

    def abort(self) -> None:
        """Close it at once; the library hears of that later."""
        assert isinstance(self._transport, TcpTransport)
        writer = self._transport._io_writer  # noqa: SLF001 - nothing else knows of it
        assert writer is not None
        writer.transport.abort()


async def flushed_as_it_breaks(url: str) -> None:
    """Flush a connection after the event loop has closed it, and before whoever reads from it is told."""
    client = Breaking()
    await client.connect(url)
    try:
        client.abort()
        await asyncio.sleep(0)
        with name_failures():
            await flush(client)
    finally:
        await client.close()


async def closed_as_it_breaks(url: str, *, heard: bool) -> bool:
    """Close a connection that the event loop has closed, with something to say, and return whether it is closed.

    Args:
        url: Where the bus is.
        heard: Whether the library knows by then, and would connect again.
    """
    client, gone = Breaking(), asyncio.Event()

    async def lost() -> None:
        gone.set()

    await client.connect(url, disconnected_cb=lost)
    client.abort()
    if heard:
        await gone.wait()
    else:
        await asyncio.sleep(0)
    await client.publish("truecup.nobody", b"more")
    await client.close()
    return client.is_closed


@pytest.mark.parametrize("heard", [True, False])
def test_a_bus_that_is_gone_is_closed_with_whatever_waits_to_be_sent(nats_url: str, *, heard: bool) -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        assert runner.run(closed_as_it_breaks(nats_url, heard=heard))


def test_a_bus_that_has_just_gone_does_not_answer(nats_url: str) -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner, pytest.raises(Unavailable):
        runner.run(flushed_as_it_breaks(nats_url))


@asynccontextmanager
async def broken(url: str) -> AsyncIterator[tuple[BusClient, NatsListening]]:
    """Make a client that listens, and lose its connection where nothing that waits is sent any more.

    The library does not know yet that it is cut off.
    """
    client = Breaking()
    await client.connect(url)
    listening = NatsListening(await client.subscribe("truecup.nobody"))
    await flush(client)
    sends = client._flusher_task  # noqa: SLF001 - it ends first, if it was about to send something
    assert sends is not None
    sends.cancel()
    await asyncio.wait([sends])
    client.abort()
    await asyncio.sleep(0)
    yield client, listening
    await client.close()


async def published_as_it_breaks(url: str) -> None:
    async with broken(url) as (client, _):
        with name_failures():
            await client.publish("truecup.nobody", b"more")


async def stopped_as_it_breaks(url: str) -> None:
    async with broken(url) as (_, listening):
        await listening.stop()


async def heard_after_it_breaks(url: str) -> bytes:
    """Subscribe as the connection breaks, and return what is heard once the bus is found again."""
    heard = asyncio.get_running_loop().create_future()
    async with broken(url) as (client, _):
        await client.subscribe("truecup.somebody", future=heard)
        while not client.stats["reconnects"]:
            await asyncio.sleep(0.01)
        await flush(client)
        await client.publish("truecup.somebody", b"more")
        return bytes((await heard).data)


def test_what_is_to_be_heard_as_the_bus_goes_is_heard_as_it_is_back(nats_url: str) -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        assert runner.run(heard_after_it_breaks(nats_url)) == b"more"


def test_what_is_published_as_the_bus_goes_is_not_a_fault_of_what_was_to_be_said(nats_url: str) -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner, pytest.raises(Unavailable):
        runner.run(published_as_it_breaks(nats_url))


def test_who_listens_no_more_as_the_bus_goes_has_stopped(nats_url: str) -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(stopped_as_it_breaks(nats_url))


class Losing(BusClient):
    """A client that loses its connection as it publishes, once it is told to."""

    loses = False

    async def publish(self, subject: str, payload: bytes = b"", *others: Any, **named: Any) -> None:
        if self.loses:
            self.loses = False
            raise ConnectionResetError
        await super().publish(subject, payload, *others, **named)


async def test_a_dealer_goes_on_saying_that_it_is_there(nats_url: str) -> None:
    client, hearing, beats = Losing(), BusClient(), asyncio.Queue[Msg]()
    await client.connect(nats_url)
    await hearing.connect(nats_url)
    await hearing.subscribe(DEALERS_THERE, cb=beats.put)
    await flush(hearing)
    taking = await NatsHandoff(client).take(_nothing)
    own = (await beats.get()).data
    client.loses = True
    async with asyncio.timeout(60):
        while client.loses or (await beats.get()).data != own:
            await asyncio.sleep(0)
    await taking.stop()
    await client.close()
    await hearing.close()


async def _nothing(_question: bytes) -> bytes:
    return b""


class Lost(BusClient):
    """A client whose connection turns out to be gone as it sends."""

    pings = False

    async def _flush_pending(self, force_flush: bool = False) -> object:  # noqa: FBT001, FBT002 - the library's
        if self.pings:
            raise ConnectionResetError
        return await super()._flush_pending(force_flush)


async def test_who_pings_a_bus_ends_with_the_connection(nats_url: str) -> None:
    client = Lost()
    await client.connect(nats_url, ping_interval=1)
    pinging = client._ping_interval_task  # noqa: SLF001 - nobody else knows how it ends
    assert pinging is not None
    client.pings = True
    await asyncio.wait([pinging])
    client.pings = False
    await client.close()
    assert pinging.exception() is None


class Told(BusClient):
    """A client whose look for a server ends as one does that another has followed: they share who is told of it."""

    async def _select_next_server(self) -> None:
        if (told := self._reconnection_task_future) is None:
            await super()._select_next_server()
        else:
            told.set_result(True)
            raise asyncio.CancelledError


async def looked_for(url: str, *, newest: bool) -> BaseException | None:
    """Return what becomes of a look for a server that ends when whoever waits for one was told already."""
    client = Told()
    await client.connect(url)
    looking = asyncio.create_task(client._attempt_reconnect())  # noqa: SLF001 - it is asked for twice in one moment only
    client._reconnection_task = looking if newest else None  # noqa: SLF001
    await asyncio.wait([looking])
    await client.close()
    return looking.exception()


def test_who_looks_for_a_bus_no_longer_has_nothing_to_say(nats_url: str) -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        assert runner.run(looked_for(nats_url, newest=False)) is None
        assert isinstance(runner.run(looked_for(nats_url, newest=True)), asyncio.InvalidStateError)


async def closed_as_it_looks(folder: Path) -> set[asyncio.Task[object]]:
    """Close clients that look for a bus without a pause, and return whatever goes on looking."""
    bus = EmbeddedNats(folder)
    await bus.start()
    clients = [BusClient() for _ in range(40)]
    for client in clients:
        await client.connect(bus.url, reconnect_time_wait=0, max_reconnect_attempts=-1, error_cb=unheard)
    await bus.stop()
    for passes, client in enumerate(clients):
        while not client.is_reconnecting:
            await asyncio.sleep(0)
        for _ in range(passes):
            await asyncio.sleep(0)
        await client.close()
    closed = [client.is_closed for client in clients]
    looking = [task for task in asyncio.all_tasks() if "_attempt_reconnect" in repr(task.get_coro())]
    left = (await asyncio.wait(looking, timeout=10))[1] if looking else set()
    for client in clients:
        client._server_pool.clear()  # noqa: SLF001 - whoever goes on looking would do so for ever
    assert all(closed)
    return left


async def unheard(_fault: Exception) -> None:
    pass


def test_a_bus_that_is_looked_for_is_looked_for_no_more_once_it_is_closed(tmp_path: Path) -> None:
    with asyncio.Runner() as runner:
        assert runner.run(closed_as_it_looks(tmp_path)) == set()
