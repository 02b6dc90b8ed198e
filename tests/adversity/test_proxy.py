"""The proxy itself: what it holds comes late, what it cuts is lost, and who is behind it is not told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.adversity.proxy import Proxy, Streams, proxied

PATIENCE_S = 60.0


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Say whatever one says."""
    while piece := await reader.read(100):
        writer.write(piece)
    writer.close()


@asynccontextmanager
async def line() -> AsyncIterator[tuple[Proxy, Streams]]:
    """Return a proxy before an echo, and a connection through it that has been heard."""
    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    async with proxied(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}") as proxy:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(proxy.url.rpartition(":")[2]))
        assert await said(reader, writer, b"first") == b"first"
        yield proxy, (reader, writer)
        writer.close()
    server.close()


async def said(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, what: bytes) -> bytes:
    writer.write(what)
    async with asyncio.timeout(PATIENCE_S):
        return await reader.read(100)


@pytest.mark.parametrize("way", ["asks", "answers"])
async def test_what_is_held_one_way_comes_when_it_opens(way: str) -> None:
    async with line() as (proxy, (reader, writer)):
        lane = getattr(proxy, way)
        lane.shut()
        waiting = asyncio.create_task(said(reader, writer, b"late"))
        async with asyncio.timeout(PATIENCE_S):
            await lane.held.wait()
        assert not waiting.done()
        proxy.open()
        assert await waiting == b"late"


async def test_what_is_held_is_lost_when_it_is_cut() -> None:
    async with line() as (proxy, (reader, writer)):
        proxy.shut()
        waiting = asyncio.create_task(said(reader, writer, b"never"))
        async with asyncio.timeout(PATIENCE_S):
            await proxy.asks.held.wait()
        proxy.break_off()
        with pytest.raises(ConnectionResetError):
            await waiting


async def test_whoever_is_closed_hears_the_end() -> None:
    async with line() as (proxy, (reader, _)):
        proxy.close_all()
        async with asyncio.timeout(PATIENCE_S):
            assert await reader.read(100) == b""


async def test_a_server_that_is_gone_without_a_word_answers_nothing_and_hangs_up_on_nobody() -> None:
    async with line() as (proxy, (reader, writer)):
        proxy.cut_off()
        waiting = asyncio.create_task(said(reader, writer, b"hello"))
        await asyncio.sleep(0.05)
        assert (waiting.done(), proxy.connections) == (False, 1)
        proxy.break_off()
        with pytest.raises(ConnectionResetError):
            await waiting


async def test_a_slow_line_brings_everything() -> None:
    async with line() as (proxy, (reader, writer)):
        proxy.asks.delay_s, proxy.answers.bytes_s = 0.001, 10_000
        assert await said(reader, writer, b"slowly") == b"slowly"


async def test_who_is_refused_is_sent_away() -> None:
    async with line() as (proxy, _):
        proxy.refuses = True
        reader, writer = await asyncio.open_connection("127.0.0.1", int(proxy.url.rpartition(":")[2]))
        async with asyncio.timeout(PATIENCE_S):
            with pytest.raises(ConnectionResetError):
                await reader.read(100)
        writer.close()
