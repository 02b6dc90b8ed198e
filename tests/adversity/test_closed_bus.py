"""A bus whose connection is gone before its client knows: that is the world's no, and no fault of ours."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import uvloop
from nats.aio.transport import TcpTransport

from infra.bus import BusClient, flush, name_failures
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
