"""A server that lies: it hands on what the real one says, and changes some of it when it is told to."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast

import httpx

Lie = Callable[[str, bytes], bytes]
"""What becomes of a line of an answer: from the path that was asked for, and the line."""

_OURS = {"host", "connection", "accept-encoding"}
"""Headers that are not handed on: what is compressed cannot be altered."""


class Liar(ThreadingHTTPServer):
    """Stands between a player and the service. `lie` may be set at any time."""

    daemon_threads = True

    def __init__(self, truth: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.truth = truth
        self.lie: Lie = lambda _path, line: line
        self.url = f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    """Hands requests on, and answers line by line."""

    def do_GET(self) -> None:
        self.hand_on()

    def do_POST(self) -> None:
        self.hand_on()

    def hand_on(self) -> None:
        liar = cast("Liar", self.server)
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        passed = {name: text for name, text in self.headers.items() if name.lower() not in _OURS}
        passed["Accept-Encoding"] = "identity"
        url = liar.truth + self.path
        try:
            with httpx.stream(self.command, url, headers=passed, content=body, timeout=60) as answer:
                self.send_response(answer.status_code)
                self.send_header("Content-Type", answer.headers.get("content-type", ""))
                self.end_headers()
                rest = b""
                for piece in answer.iter_raw():
                    *lines, rest = (rest + piece).split(b"\n")
                    for line in lines:
                        self.wfile.write(liar.lie(self.path, line) + b"\n")
                self.wfile.write(liar.lie(self.path, rest))
        except (BrokenPipeError, ConnectionResetError, httpx.TransportError):
            return

    def log_message(self, *_words: object) -> None:
        """Say nothing."""


@contextmanager
def altering_server(truth: str) -> Iterator[Liar]:
    """Lend a server that says what the one at `truth` says, until it is told to lie."""
    with Liar(truth) as liar:
        serving = threading.Thread(target=liar.serve_forever, args=(0.05,))
        serving.start()
        try:
            yield liar
        finally:
            liar.shutdown()
            serving.join()
