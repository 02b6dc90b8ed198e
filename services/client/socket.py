"""The socket of a terminal: a match followed and commands sent over one WebSocket. Who gets none goes on over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Any, Final

import msgspec
from msgspec import Raw, Struct
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from infra.clock import ticks_s
from services.client.house import CONNECT_S, accepted, read_reply

ANSWERED_S: Final = 10.0
"""How long an answer may take until the connection is given up: open, and yet nothing comes, is a proxy's doing."""
SILENCE_S: Final = 12.0
"""Two heartbeats and a little: what is silent for so long is dead."""
AGAIN_S: Final = 15.0
"""How long to go on without, where no socket can be had: not every proxy lets one through."""
CLOSE_S: Final = 1.0
MESSAGE_MAX: Final = 1 << 24
"""The longest message of a server that is believed, in bytes."""
WATCH: Final = 0
"""The id of the message that begins to watch; those of commands follow it."""
OK: Final = 200


class NoSocket(Exception):  # noqa: N818 - reads as a sentence
    """No socket can be had, or nothing has come through it."""


class _Watch(Struct, frozen=True, tag_field="do", tag="watch", omit_defaults=True):
    id: int
    match: str
    after: int | None = None
    token: str | None = None


class _Command(Struct, frozen=True, tag_field="do", tag="command"):
    id: int
    match: str
    key: str
    token: str
    command: Raw


class _Connecting(connect):
    """Opens a connection where it was asked to, and nowhere else: messages hold tokens."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        return exc


_messages: Final = msgspec.json.Decoder(dict[str, Any])


class MatchSocket:
    """The socket of one match."""

    def __init__(self, base: str, match: str) -> None:
        """Speak with the service at this address of this match."""
        self._url = f"ws{base.removeprefix('http')}/api/v1/socket"
        self._match = match
        self._wire: ClientConnection | None = None
        self._waiting: dict[int, asyncio.Future[dict[str, Any] | None]] = {}
        self._last = WATCH
        self._not_before = 0.0

    async def items(self, after: int | None, token: str | None) -> AsyncGenerator[dict[str, Any], None]:
        """Yield what the stream of HTTP says, without its heartbeats, until nothing more comes.

        Args:
            after: The version behind which frames begin; behind a snapshot, if there is none.
            token: The token of the seat that looks; None for a spectator.

        Raises:
            NoSocket: None can be had.
            CannotDo: The service says no.
        """
        wire = await self._open()
        try:
            await self._begin(wire, after, token)
            self._wire = wire
            while (message := await self._next(wire)) is not None:
                with read_reply():
                    item = self._heard(message)
                if item is None:
                    return
                if item:
                    yield item
        finally:
            await self._lose(wire)

    async def command(self, token: str, key: str, body: bytes) -> dict[str, Any] | None:
        """Send a command while the match is followed, and return its answer with its `status`; None if none came.

        Whoever gets none repeats it over HTTP with the same key and the same body, which is the same request.
        """
        wire = self._wire
        if wire is None:
            return None
        self._last += 1
        answer: asyncio.Future[dict[str, Any] | None] = asyncio.get_running_loop().create_future()
        self._waiting[self._last] = answer
        asked = _Command(self._last, self._match, key, token, Raw(body))
        try:
            async with asyncio.timeout(ANSWERED_S):
                await wire.send(msgspec.json.encode(asked), text=True)
                return await answer
        except ConnectionClosed:
            return None
        except TimeoutError:
            wire.transport.abort()
            return None
        finally:
            self._waiting.pop(asked.id, None)

    async def _open(self) -> ClientConnection:
        if ticks_s() < self._not_before:
            raise NoSocket
        try:
            return await _Connecting(
                self._url,
                compression=None,
                open_timeout=CONNECT_S,
                close_timeout=CLOSE_S,
                ping_interval=None,
                max_size=MESSAGE_MAX,
            )
        except (OSError, WebSocketException) as trouble:
            raise self._without() from trouble

    async def _begin(self, wire: ClientConnection, after: int | None, token: str | None) -> None:
        """Begin to watch; a no is as HTTP puts it."""
        with suppress(ConnectionClosed):
            await wire.send(msgspec.json.encode(_Watch(WATCH, self._match, after, token)), text=True)
        said = await self._next(wire, ANSWERED_S)
        if said is None:
            raise self._without()
        accepted(said)

    def _without(self) -> NoSocket:
        self._not_before = ticks_s() + AGAIN_S
        return NoSocket()

    async def _next(self, wire: ClientConnection, within_s: float = SILENCE_S) -> dict[str, Any] | None:
        """Return the next message; None where none comes in time, or none can come."""
        try:
            async with asyncio.timeout(within_s):
                message = await wire.recv(decode=False)
        except (ConnectionClosed, TimeoutError):
            return None
        with read_reply():
            return _messages.decode(message)

    def _heard(self, message: dict[str, Any]) -> dict[str, Any] | None:
        """Return the item that a message holds, an empty one of an answer or a heartbeat; None if no item follows."""
        match message:
            case {"frame": dict(frame)}:
                return frame
            case {"watch": _, "match": _, **item}:
                return item
            case {"beat": _}:
                return {}
            case {"id": name} if name in self._waiting:
                self._waiting[name].set_result(message)
                return {}
            case _:
                return None

    async def _lose(self, wire: ClientConnection) -> None:
        self._wire = None
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_result(None)
        await wire.close()
