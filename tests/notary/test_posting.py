"""Whoever is posted to may be down, slow or endless: it costs a bounded time, and nothing is read beyond a bound."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from itertools import repeat

import httpx
import pytest
import uvloop

from infra import posting
from infra.abroad.outgoing import OutgoingClient
from infra.posting import ANSWER_BYTES_MAX, NoReply, Poster, PostReply

PATIENCE_S = 60
Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def talking(talk: Talk) -> AsyncIterator[str]:
    """Serve one way of talking."""

    async def served(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            await talk(reader, writer)
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(served, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


def says(answer: bytes) -> Talk:
    async def talk(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(answer)
        await writer.drain()

    return talk


async def endless(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
    for part in repeat(b"x" * 65_536):
        writer.write(part)
        await writer.drain()


async def silent(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    await reader.read()  # until the other side has had enough


async def dripping(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.1)


async def posted(talk: Talk) -> PostReply:
    post = Poster()
    try:
        async with asyncio.timeout(PATIENCE_S), talking(talk) as url:
            return await post.post(url, b"body")
    finally:
        await post.close()


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let an answer take longer than a witness may."""
    monkeypatch.setattr(posting, "ANSWER_S", PATIENCE_S)


@pytest.mark.usefixtures("patient")
async def test_an_answer_is_its_status_and_its_body() -> None:
    assert await posted(says(b"HTTP/1.1 409 Conflict\r\nContent-Length: 2\r\n\r\n5\n")) == PostReply(409, b"5\n")


@pytest.mark.usefixtures("patient")
async def test_a_packed_answer_stays_packed() -> None:
    packed = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x00"
    assert await posted(says(packed)) == PostReply(200, b"\x1f\x8b\x08\x00")


@pytest.mark.usefixtures("patient")
async def test_a_redirect_is_not_followed() -> None:
    moved = b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"
    assert await posted(says(moved)) == PostReply(302, b"")


@pytest.mark.parametrize(
    "talk",
    [
        endless,
        silent,
        dripping,
        says(b""),
        says(b"SSH-2.0\r\n\r\n"),
        says(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"),
    ],
    ids=["endless", "silent", "dripping", "closing", "another protocol", "cut off"],
)
async def test_what_is_no_answer_in_time_is_none(talk: Talk) -> None:
    with pytest.raises(NoReply):
        await posted(talk)


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/", "http://[::1", "http://no.such.name.invalid/"])
async def test_nobody_there_is_no_answer(url: str) -> None:
    post = Poster()
    with pytest.raises(NoReply):
        await post.post(url, b"x" * ANSWER_BYTES_MAX)
    await post.close()


RESET = struct.pack("ii", 1, 0)
"""Who closes a socket that lingers so sends a reset: socket(7)."""


def reset_all(server: socket.socket) -> None:
    """Accept whoever comes, and reset the connection at once, until the server is closed."""
    with suppress(OSError):
        while True:
            connection, _ = server.accept()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            connection.close()


async def replies_of(url: str, times: int) -> set[str]:
    poster, found = Poster(), set()
    for _ in range(times):
        try:
            await poster.post(url, b"")
        except NoReply as trouble:
            found.add(str(trouble))
    await poster.close()
    return found


def test_whoever_resets_every_connection_as_it_is_made_has_not_answered() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=reset_all, args=(server,), daemon=True).start()
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            found = runner.run(replies_of(f"http://127.0.0.1:{server.getsockname()[1]}", 400))
        server.shutdown(socket.SHUT_RDWR)
    assert found <= {"it does not answer (ConnectError)", "it does not answer (ReadError)"}


class Gone(httpx.AsyncBaseTransport):
    """A connection whose socket has just gone, as the library finds it."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        raise AttributeError(f"'NoneType' object has no attribute 'getpeername', for {request.url.host}")


async def test_a_connection_that_goes_before_the_library_knows_is_reset() -> None:
    client = OutgoingClient(transport=Gone())
    with pytest.raises(httpx.ConnectError, match="reset as it was made"):
        await client.get("http://127.0.0.1/")
    await client.aclose()
    with pytest.raises(RuntimeError, match="closed"):
        await client.get("http://127.0.0.1/")
