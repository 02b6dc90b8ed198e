"""The smallest client of the socket: what a benchmark measures should not be its own client.

It asks for commands over the socket, as `Wire` does over HTTP, and for everything else over HTTP.
"""

from __future__ import annotations

import asyncio
import base64
import os
from collections.abc import Callable
from typing import Any, Final, Self, cast
from urllib.parse import urlsplit

import msgspec
from msgspec import Raw, Struct, to_builtins

from infra.entropy import draw
from services.cli.bench.clients.wire import CLIENTS, Wire
from services.client.house import CannotDo

MATCHES: Final = "/api/v1/matches/"
SOCKET: Final = "/api/v1/socket"
SWITCHED: Final = b"HTTP/1.1 101 "
TEXT, PING, PONG = 0x81, 0x89, 0x8A
"""First bytes of frames that are whole."""
SHORT: Final = 126
"""The length that says that it follows in two bytes; the next one says in eight."""
MASKED: Final = 0x80
MASK: Final = bytes(4)
"""A client has to mask what it sends (RFC 6455, section 5.3); with nothing but zeros that costs nothing."""


class SocketReply(Struct, frozen=True):
    """What a benchmark needs of an answer.

    Attributes:
        code: That of the problem document; empty where the command was accepted.
    """

    id: int
    status: int
    version: int = 0
    code: str = ""


class _Sent(Struct, frozen=True, tag_field="do", tag="command"):
    id: int
    match: str
    key: str
    token: str
    command: Raw


_read: Final = msgspec.json.Decoder(SocketReply)
_encoder: Final = msgspec.json.Encoder()


class _Frames(asyncio.Protocol):
    """A WebSocket's client side: whole text messages of a length that fits a message of ours."""

    def __init__(self, request: bytes, heard: Callable[[bytes], None], lost: Callable[[], None]) -> None:
        self._request = request
        self._heard = heard
        self._lost = lost
        self._come = b""
        self._transport: asyncio.Transport | None = None
        self.open: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        self._come += data
        if not self.open.done():
            head, end, behind = self._come.partition(b"\r\n\r\n")
            if not end:
                return
            self._come = behind
            self.open.set_result(head.startswith(SWITCHED))
        self._take()

    def _take(self) -> None:
        """Take all frames that are whole."""
        come, at = self._come, 0
        while (found := _frame_at(come, at)) is not None:
            kind, start, at = found
            if kind == TEXT:
                self._heard(come[start:at])
            elif kind == PING:
                self.send(come[start:at], PONG)
        self._come = come[at:]

    def send(self, message: bytes, kind: int = TEXT) -> None:
        assert self._transport is not None, "it is connected"
        self._transport.write(frame_of(message, kind))

    def connection_lost(self, _exc: Exception | None) -> None:
        if not self.open.done():
            self.open.set_result(False)
        self._lost()

    def close(self) -> None:
        assert self._transport is not None, "it is connected"
        self._transport.close()


def handshake(host: str, **more: str) -> bytes:
    """Return a request for a socket of this host, with these headers as well; `_` stands for `-`."""
    fields = {
        "Host": host,
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
        **{name.replace("_", "-"): text for name, text in more.items()},
    }
    lines = "".join(f"{name}: {text}\r\n" for name, text in fields.items())
    return f"GET {SOCKET} HTTP/1.1\r\n{lines}\r\n".encode()


def frame_of(message: bytes, kind: int = TEXT) -> bytes:
    """Return a message as a client's frame, which holds less than 64 KiB."""
    size = len(message)
    head = bytes((kind, MASKED | size)) if size < SHORT else bytes((kind, MASKED | SHORT)) + size.to_bytes(2, "big")
    return head + MASK + message


def _frame_at(come: bytes, at: int) -> tuple[int, int, int] | None:
    """Return the first byte of the frame that begins here, and where its payload begins and ends, if it is whole."""
    start = at + 2
    if len(come) < start:
        return None
    size = come[at + 1]
    if size >= SHORT:
        wide = 2 if size == SHORT else 8
        size, start = int.from_bytes(come[start : start + wide], "big"), start + wide
    return (come[at], start, start + size) if len(come) >= start + size else None


class SocketWire:
    """One socket: commands on it as many at a time as its user likes, other requests beside it one at a time."""

    def __init__(self, wire: Wire) -> None:
        """Begin with no command under way."""
        self._wire = wire
        self._frames: _Frames | None = None
        self._answers: dict[int, asyncio.Future[SocketReply]] = {}
        self._next = 0

    @classmethod
    async def to(cls, url: str, client: int) -> Self:
        """Return a socket of the service at this address, for the client of a number, as `Wire.to` does.

        Raises:
            CannotDo: The service opens none.
        """
        parts = urlsplit(url)
        own = cls(await Wire.to(url, client=client))
        request = handshake(parts.netloc, X_Forwarded_For=str(CLIENTS + client))
        loop = asyncio.get_running_loop()
        _, frames = await loop.create_connection(
            lambda: _Frames(request, own._hear, own._lose), parts.hostname or "", parts.port or 80
        )
        own._frames = frames
        if not await frames.open:
            await own.close()
            raise CannotDo("the service opened no socket")
        return own

    def send(self, match: str, command: object, token: str) -> asyncio.Future[SocketReply]:
        """Send a command on a match, and return its answer as it will be.

        Raises:
            CannotDo: The socket is closed.
        """
        if self._frames is None:
            raise CannotDo("the service closed a socket")
        self._next += 1
        self._answers[self._next] = answer = asyncio.get_running_loop().create_future()
        self._frames.send(
            _encoder.encode(_Sent(self._next, match, draw(16).hex(), token, Raw(_encoder.encode(command))))
        )
        return answer

    async def ask(self, method: str, path: str, body: object = None, token: str | None = None) -> tuple[int, Any]:
        """Send a request and return the status and the JSON document of the answer, as `Wire.ask` does."""
        match, _, last = path.removeprefix(MATCHES).partition("/")
        if last != "commands" or token is None:
            return await self._wire.ask(method, path, body, token)
        answer = await self.send(match, body, token)
        return answer.status, to_builtins(answer)

    def _hear(self, message: bytes) -> None:
        answer = _read.decode(message)
        self._answers.pop(answer.id).set_result(answer)

    def _lose(self) -> None:
        self._frames = None
        for answer in self._answers.values():
            answer.set_exception(CannotDo("the service closed a socket"))

    async def close(self) -> None:
        """Hang up."""
        if self._frames is not None:
            self._frames.close()
        await self._wire.close()
