"""A client that sends bytes as they are, at a real server."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

WAIT_S = 60
"""Longer than any bound in a test, so that only something that hangs runs into it."""
GET = b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n"


class Client:
    """One connection."""

    def __init__(self, connected: socket.socket) -> None:
        self.socket = connected
        self._came = b""

    def send(self, data: bytes) -> bool:
        """Send all of this, and report whether the server took it."""
        try:
            self.socket.sendall(data)
        except (ConnectionResetError, BrokenPipeError):
            return False
        return True

    def answer(self) -> tuple[int, dict[str, str], bytes]:
        """Read one answer with a length: its status, its headers and its body."""
        head = self.until(b"\r\n\r\n")
        first, *lines = head.decode().split("\r\n")[:-2]
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
        return int(first.split()[1]), headers, self._read(int(headers.get("content-length", 0)))

    def problem(self) -> dict[str, Any]:
        """Read one answer, which is a problem document."""
        status, headers, body = self.answer()
        assert headers["content-type"] == "application/problem+json"
        told = json.loads(body)
        assert told["status"] == status
        return told

    def is_closed(self) -> bool:
        """Wait until the server hangs up, and report whether it said nothing more."""
        return self.until_closed() == b""

    def until_closed(self) -> bytes:
        """Read what the server says until it hangs up."""
        with suppress(ConnectionResetError):
            while piece := self.socket.recv(65_536):
                self._came += piece
        return self._came

    def until(self, end: bytes) -> bytes:
        """Read until this comes, and return what came, with it."""
        while end not in self._came:
            self._take()
        found, _, self._came = self._came.partition(end)
        return found + end

    def _read(self, count: int) -> bytes:
        while len(self._came) < count:
            self._take()
        found, self._came = self._came[:count], self._came[count:]
        return found

    def take(self) -> bytes:
        """Return what has come and was not asked for yet, or what comes next."""
        if not self._came:
            self._take()
        found, self._came = self._came, b""
        return found

    def _take(self) -> None:
        piece = self.socket.recv(65_536)
        assert piece, f"the server hung up after {self._came!r}"
        self._came += piece


@contextmanager
def connected(port: int, source: str = "127.0.0.1", receives: int | None = None) -> Iterator[Client]:
    """Connect from this address, with room for so many bytes that are not read yet."""
    with socket.socket() as there:
        if receives is not None:
            there.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receives)
        there.settimeout(WAIT_S)
        there.bind((source, 0))
        there.connect(("127.0.0.1", port))
        yield Client(there)
