"""A client of the socket, for tests: messages as JSON, answers by their ids, items by their watches."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.api.conftest import Table
from tests.door.sending import WAIT_S

KEY = "a-key-of-this-test-{}"
numbers = itertools.count(1)


def key() -> str:
    """Return a new idempotency key."""
    return KEY.format(next(numbers))


def token_of(header: dict[str, str]) -> str:
    """Return the token in a header."""
    return header["Authorization"].removeprefix("Bearer ")


def encoded(message: object) -> bytes:
    """Return a message, a command in it byte for byte as `httpx` sends it."""
    return json.dumps(message, separators=(",", ":")).encode()


class Located(Protocol):
    """A service that is there."""

    @property
    def url(self) -> str:
        """Where it is."""


class Speaker:
    """One socket."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.kept: list[dict[str, Any]] = []

    def say(self, message: object) -> None:
        """Send a message."""
        self.socket.send(encoded(message), text=True)

    def hear(self) -> dict[str, Any]:
        """Return the next message."""
        return json.loads(self.socket.recv(WAIT_S))

    def ask(self, **message: object) -> dict[str, Any]:
        """Send a message, and return what answers it; whatever comes before is kept."""
        message.setdefault("id", next(numbers))
        self.say(message)
        while True:
            said = self.hear()
            if said.get("id", "none") == message["id"]:
                return said
            self.kept.append(said)

    def play(self, table: Table, seat: dict[str, str], command: object, **more: object) -> dict[str, Any]:
        """Send a command, and return its answer."""
        about = {"match": table.id, "token": token_of(seat), "key": key(), "command": command}
        return self.ask(do="command", **{**about, **more})

    def watch(self, table: Table, **more: object) -> dict[str, Any]:
        """Begin to watch, and return the answer."""
        return self.ask(**{"do": "watch", "match": table.id, **more})


def last_words(speaker: Speaker) -> tuple[list[dict[str, Any]], int]:
    """Return what is said until the service closes, and its code."""
    said = []
    try:
        while True:
            said.append(speaker.hear())
    except ConnectionClosed as closed:
        return said, 1006 if closed.rcvd is None else closed.rcvd.code


@contextmanager
def speaking(service: Located, **how: Any) -> Iterator[Speaker]:
    """Open a socket."""
    address = service.url.replace("http", "ws", 1) + "/api/v1/socket"
    with connect(address, compression=None, open_timeout=WAIT_S, **how) as socket:
        yield Speaker(socket)
