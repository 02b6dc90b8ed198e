"""A request within the process: what a server would hand on, and what it would be told to send."""

from __future__ import annotations

import asyncio
import json
from itertools import count
from typing import Any, Final
from urllib.parse import unquote

from msgspec import Struct

from services.http.front.bounded_streams import LOST

ANSWER_S: Final = 30.0
"""Far above what any answer takes."""
_networks = count(1)


class Answer(Struct, frozen=True):
    """What came back; of an answer that never ends, its beginning."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def kind(self) -> str:
        """The type of its body."""
        return self.headers.get("content-type", "").partition(";")[0]

    def json(self) -> Any:
        """Return what its body says."""
        return json.loads(self.body)


class _Exchange:
    """A request under way."""

    def __init__(self, body: bytes) -> None:
        self._body: bytes | None = body
        self._left = asyncio.Event()
        self._told: list[Any] = []
        self.head: dict[str, Any] = {}
        self.pieces: list[bytes] = []

    def tell_of_loss(self, told: Any) -> None:
        """Leave at once: it is a stream, and only its beginning is of interest."""
        self._told.append(told)
        asyncio.get_running_loop().call_later(0, self._leave)

    def _leave(self) -> None:
        self._left.set()
        while self._told:
            self._told.pop()()

    async def receive(self) -> dict[str, Any]:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            assert not self.head, "two answers"
            self.head = message
        else:
            self.pieces.append(message.get("body", b""))
            if not message.get("more_body", False):
                self._left.set()


async def ask(
    gate: Any, method: str, target: str, headers: tuple[tuple[str, bytes], ...] = (), body: bytes = b""
) -> Answer:
    """Ask something, each time from a network that has asked nothing yet."""
    path, _, query = target.partition("?")
    exchange, number = _Exchange(body), next(_networks)
    sent = [(name.lower().encode("latin-1"), value) for name, value in headers]
    named = {name for name, _ in sent}
    sent += [] if b"host" in named else [(b"host", b"127.0.0.1")]
    sent += [(b"content-length", str(len(body)).encode())] if body and b"transfer-encoding" not in named else []
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode("latin-1"),
        "query_string": query.encode("latin-1"),
        "root_path": "",
        "headers": sent,
        "client": (f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}", 1),
        "server": ("127.0.0.1", 80),
        "state": {},
        "extensions": {LOST: exchange.tell_of_loss},
    }
    async with asyncio.timeout(ANSWER_S):
        await gate(scope, exchange.receive, exchange.send)
    assert exchange.head, "no answer"
    found = {name.decode("latin-1"): value.decode("latin-1") for name, value in exchange.head["headers"]}
    return Answer(exchange.head["status"], found, b"".join(exchange.pieces))
