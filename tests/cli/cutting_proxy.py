"""A proxy that hands bytes on, writes down what a client asks for, and cuts a socket when it is told to."""

from __future__ import annotations

import json
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, cast
from urllib.parse import urlsplit

from websockets.frames import Frame, Opcode
from websockets.protocol import Protocol, Side

PIECE = 65_536
UPGRADE = b"GET /api/v1/socket "


class Cutter(socketserver.ThreadingTCPServer):
    """Stands between a player and the service. What it does to sockets may be set at any time.

    Attributes:
        refuses: Whether it answers a handshake itself, as a proxy does that knows no WebSockets.
        swallows: How many answers to commands it throws away, each with its connection.
        alters: What becomes of what the service says on sockets; it stays as long as it is.
        bytes_max: After how many bytes of the service's a connection is cut.
        requests: First lines of requests, with the idempotency key of each that has one.
        messages: What was said on sockets.
    """

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, truth: str) -> None:
        super().__init__(("127.0.0.1", 0), Handing)
        parts = urlsplit(truth)
        self.truth = (parts.hostname, parts.port)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.refuses = False
        self.swallows = 0
        self.bytes_max = 1 << 30
        self.alters: Callable[[bytes], bytes] = bytes
        self.requests: list[tuple[str, str | None]] = []
        self.messages: list[dict[str, Any]] = []

    def commands(self) -> list[str]:
        """Return the keys of commands that came on sockets."""
        return [message["key"] for message in self.messages if message["do"] == "command"]

    def watched(self) -> list[int | None]:
        """Return behind which versions matches were followed on sockets."""
        return [message.get("after") for message in self.messages if message["do"] == "watch"]

    def streams(self) -> list[str]:
        """Return which streams were asked for over HTTP."""
        return [line for line, _ in self.requests if "/stream" in line]

    def posted(self) -> list[str | None]:
        """Return the keys of commands that came over HTTP."""
        return [key for line, key in self.requests if line.startswith("POST") and "/commands" in line]


class Handing(socketserver.BaseRequestHandler):
    """One connection."""

    def handle(self) -> None:
        cutter, client = cast("Cutter", self.server), cast("socket.socket", self.request)
        with suppress(OSError), socket.create_connection(cutter.truth) as service:
            first = client.recv(PIECE)
            if cutter.refuses and first.startswith(UPGRADE):
                client.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                return
            self.is_socket = first.startswith(UPGRADE)
            self.answers = threading.Thread(target=self.answer, args=(cutter, client, service), daemon=True)
            self.answers.start()
            self.ask(cutter, client, service, first)

    def ask(self, cutter: Cutter, client: socket.socket, service: socket.socket, piece: bytes) -> None:
        """Hand on what the client says."""
        frames: Protocol | None = None
        while piece:
            if frames is None:
                self.note(cutter, piece)
                if piece.startswith(UPGRADE):
                    frames = Protocol(Side.SERVER)
            else:
                frames.receive_data(piece)
                said = (event for event in frames.events_received() if isinstance(event, Frame))
                cutter.messages += [json.loads(bytes(event.data)) for event in said if event.opcode is Opcode.TEXT]
            service.sendall(piece)
            piece = client.recv(PIECE)
        with suppress(OSError):
            service.shutdown(socket.SHUT_RDWR)

    def note(self, cutter: Cutter, piece: bytes) -> None:
        head = piece.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
        if " HTTP/" in head[0]:
            named = dict(line.lower().split(": ", 1) for line in head[1:])
            cutter.requests.append((head[0], named.get("idempotency-key")))

    def answer(self, cutter: Cutter, client: socket.socket, service: socket.socket) -> None:
        """Hand on what the service says."""
        with suppress(OSError):
            left = cutter.bytes_max
            while left > 0 and (piece := service.recv(PIECE)):
                left -= len(piece)
                if cutter.swallows and b'"receipt":' in piece and b'{"id":' in piece:
                    cutter.swallows -= 1
                    break
                client.sendall(cutter.alters(piece) if self.is_socket else piece)
            for one in (client, service):
                one.shutdown(socket.SHUT_RDWR)


@contextmanager
def cutting_proxy(truth: str) -> Iterator[Cutter]:
    """Lend a proxy to the service at `truth`."""
    with Cutter(truth) as cutter:
        serving = threading.Thread(target=cutter.serve_forever, args=(0.05,))
        serving.start()
        try:
            yield cutter
        finally:
            cutter.shutdown()
            serving.join()
