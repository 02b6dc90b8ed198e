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


def test_a_bus_that_has_just_gone_does_not_answer(nats_url: str) -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner, pytest.raises(Unavailable):
        runner.run(flushed_as_it_breaks(nats_url))
