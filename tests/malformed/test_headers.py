"""Headers on the bus that nobody can read: whoever hears such a message hears the next."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from infra.bus import BusClient, flush
from tests.malformed.plain_bus import PlainBus

HEARD_S = 60


@pytest_asyncio.fixture
async def bus(nats_url: str) -> AsyncIterator[PlainBus]:
    bus, hearing = await PlainBus.connect(nats_url)
    yield bus
    hearing.cancel()
    bus.close()


@pytest.mark.parametrize(
    "headers", [b"\x00\xff", b"NATS/1.0", b"NATS/1.0 \xff\xff\xff\r\n\r\n", b"NATS/1.0 503 \xff\r\n\r\n", b"\r\n" * 9]
)
async def test_a_message_with_headers_that_nobody_can_read_makes_nobody_deaf(
    bus: PlainBus, nats_url: str, headers: bytes
) -> None:
    client, heard = BusClient(), asyncio.Queue[bytes]()

    async def hear(message: object) -> None:
        await heard.put(getattr(message, "data", b""))

    await client.connect(nats_url, allow_reconnect=False)
    await client.subscribe("nonsense.headers", cb=hear)
    await flush(client)
    bus.publish(b"nonsense.headers", b"first", headers=headers)
    bus.publish(b"nonsense.headers", b"second")
    await bus.flush()
    async with asyncio.timeout(HEARD_S):
        assert [await heard.get(), await heard.get()] == [b"first", b"second"]
    await client.close()
