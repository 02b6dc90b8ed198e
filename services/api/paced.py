"""A streamed response whose reader has to keep up.

The framework's own streams wait for ever on a reader that has stopped reading; here a write has a time, after which the
connection is given up. What waits for a slow one is bounded by the connection's own buffer, for the next chunk is made
only when the last one is out.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

from litestar import Response
from litestar.response.base import ASGIResponse
from litestar.types import Receive, Scope, Send

from services.api.doors import Place


class Paced(Response[None]):
    """Chunks as they come, each written within a time."""

    def __init__(self, chunks: AsyncGenerator[bytes, None], place: Place, write_s: float, media_type: str) -> None:
        """Stream these chunks, and give the place up when they are over."""
        super().__init__(None, media_type=media_type)
        self._chunks = chunks
        self._place = place
        self._write_s = write_s
        self._type = media_type

    def to_asgi_response(self, *_args: Any, **_more: Any) -> ASGIResponse:  # noqa: ANN401 - the framework's signature
        """Return the response as an application."""
        return _Spoken(self._respond)

    async def _respond(self, receive: Receive, send: Send) -> None:
        try:
            async with aclosing(self._chunks):
                await self._until_gone(receive, send)
        finally:
            self._place.leave()

    async def _until_gone(self, receive: Receive, send: Send) -> None:
        """Write until there is no more, or the reader is gone. A crash here costs a reader its connection, no frame."""
        writing = asyncio.ensure_future(self._write(send))
        gone = asyncio.ensure_future(_gone(receive))
        try:
            await asyncio.wait({writing, gone}, return_when=asyncio.FIRST_COMPLETED)
            if writing.done():
                writing.result()
        finally:
            writing.cancel()
            gone.cancel()
            await asyncio.gather(writing, gone, return_exceptions=True)

    async def _write(self, send: Send) -> None:
        await _begin(send, self._type)
        try:
            async for chunk in self._chunks:
                await self._send(send, chunk, more=True)
            await self._send(send, b"", more=False)
        except TimeoutError:
            return

    async def _send(self, send: Send, chunk: bytes, *, more: bool) -> None:
        async with asyncio.timeout(self._write_s):
            await send({"type": "http.response.body", "body": chunk, "more_body": more})


class Heading(Response[None]):
    """What a stream begins with before its first chunk, and no stream."""

    def __init__(self, media_type: str) -> None:
        """Begin a stream of this type, and end."""
        super().__init__(None, media_type=media_type)
        self._type = media_type

    def to_asgi_response(self, *_args: Any, **_more: Any) -> ASGIResponse:  # noqa: ANN401 - the framework's signature
        """Return the response as an application."""
        return _Spoken(self._respond)

    async def _respond(self, _receive: Receive, send: Send) -> None:
        await _begin(send, self._type)
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _begin(send: Send, media_type: str) -> None:
    kind = f"{media_type}; charset=utf-8".encode()
    headers = [(b"content-type", kind), (b"cache-control", b"no-store"), (b"x-accel-buffering", b"no")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})


class _Spoken(ASGIResponse):
    """What the framework calls when the handler is done."""

    __slots__ = ("_respond",)

    def __init__(self, respond: Callable[[Receive, Send], Awaitable[None]]) -> None:
        super().__init__()
        self._respond = respond

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - as ASGI has it
        await self._respond(receive, send)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue
