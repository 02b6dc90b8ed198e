"""A bus whose connection is gone before its client knows: that is the world's no, and no fault of ours."""

from __future__ import annotations

import asyncio

import pytest
import uvloop
from nats.aio.transport import TcpTransport

from infra.bus import BusClient, flush, name_failures
from infra.store import Unavailable


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
