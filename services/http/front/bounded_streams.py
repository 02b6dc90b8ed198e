"""A streamed response whose reader has to keep up.

The framework's own streams wait for ever on a reader that has stopped reading; here a write has a time, after which the
connection is given up. What waits for a slow one is bounded by the connection's own buffer, for the next chunk is made
only when the last one is out.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from typing import Any, Final, cast

from litestar import Response
from litestar.response.base import ASGIResponse
from litestar.types import HTTPScope, Receive, Scope, Send

from services.http.front.drain import DoorPlace
from services.work.limits import StepLimit

Rest = Callable[[Send], Awaitable[None]]
LOST: Final = "truecup.lost"
"""The key in the extensions of a scope, of what tells of the loss of its connection: to wait for the server's message
that says so would take a task for each reader."""
_REST: Final = "rest"
"""The key in the state of a scope."""


def take_rest(scope: HTTPScope) -> Rest | None:
    """Take out what is still to be said behind the head of an answer, if the application has left anything."""
    rest: Rest | None = scope["state"].pop(_REST, None)
    return rest


class BoundedStream(Response[None]):
    """Chunks as they come, each written within a time.

    The application answers with no more than the head. The rest is left in the scope for the gate: so all that a
    framework keeps for a request is gone while the stream lasts, which is most of what a reader would cost.
    """

    def __init__(
        self,
        chunks: AsyncGenerator[bytes, None],
        place: DoorPlace,
        on_end: Callable[[], None],
        write_s: float,
        media_type: str,
        file: str | None = None,
    ) -> None:
        """Stream these chunks, and when they are over give the place up and say so; `file` is what to keep them as."""
        super().__init__(None, media_type=media_type)
        self._rest = _Rest(chunks, place, on_end, write_s)
        self._type = media_type
        self._file = file

    def to_asgi_response(self, *_args: Any, **_more: Any) -> ASGIResponse:  # noqa: ANN401 - the framework's signature
        """Return the head as an application, which leaves the rest."""
        return _Head(self._type, self._rest, self._file)


class _Rest:
    """What is behind the head of a stream."""

    __slots__ = ("_chunks", "_on_end", "_place", "_write_s")

    def __init__(
        self, chunks: AsyncGenerator[bytes, None], place: DoorPlace, on_end: Callable[[], None], write_s: float
    ) -> None:
        self._chunks = chunks
        self._place = place
        self._on_end = on_end
        self._write_s = write_s

    def begin(self, scope: HTTPScope) -> None:
        """Leave it for the gate. A reader who is gone is asked to leave: what is still written reaches nobody."""
        extensions: dict[str, Any] = scope.get("extensions") or {}
        extensions[LOST](self._place.ask_to_leave)
        scope["state"][_REST] = self

    async def __call__(self, send: Send) -> None:
        """Write until there is no more. A crash here costs a reader its connection, no frame."""
        try:
            async with aclosing(self._chunks):
                await self._write(send)
        finally:
            self._place.leave()
            self._on_end()

    async def _write(self, send: Send) -> None:
        limit = StepLimit(self._write_s)
        with suppress(TimeoutError):
            async with limit:
                async for chunk in self._chunks:
                    limit.begin()
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
                    limit.end()
                    del chunk  # nobody needs it while there is no other
                limit.begin()
                await send({"type": "http.response.body", "body": b"", "more_body": False})


class Heading(Response[None]):
    """What a stream begins with before its first chunk, and no stream."""

    def __init__(self, media_type: str, file: str | None = None) -> None:
        """Begin a stream of this type, and end."""
        super().__init__(None, media_type=media_type)
        self._type = media_type
        self._file = file

    def to_asgi_response(self, *_args: Any, **_more: Any) -> ASGIResponse:  # noqa: ANN401 - the framework's signature
        """Return the head as an application."""
        return _Head(self._type, None, self._file)


class _Head(ASGIResponse):
    """What the framework calls when the handler is done."""

    __slots__ = ("_file", "_media_type", "_rest")

    def __init__(self, media_type: str, rest: _Rest | None, file: str | None) -> None:
        super().__init__()
        self._file = file
        self._media_type = media_type
        self._rest = rest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002 - as ASGI has it
        kind = self._media_type if self._file else f"{self._media_type}; charset=utf-8"
        headers = [(b"content-type", kind.encode()), (b"cache-control", b"no-store"), (b"x-accel-buffering", b"no")]
        if self._file is not None:
            headers.append((b"content-disposition", f'attachment; filename="{self._file}"'.encode()))
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        if self._rest is None:
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        else:
            self._rest.begin(cast("HTTPScope", scope))
