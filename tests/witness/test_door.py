"""A witness faces strangers: it has the same front door as the service."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from tests.door.sending import connected
from tests.witness.running import Process


def test_a_witness_cuts_off_a_head_that_never_ends_and_goes_on(tmp_path: Path) -> None:
    witness = Process(tmp_path / "witness").start()
    try:
        port = urlsplit(witness.url).port
        assert port is not None
        with connected(port) as client:
            client.send(b"GET /health HTTP/1.1\r\nHost: x\r\nX-A: " + b"a" * 100_000)
            assert client.problem()["code"] == "head_too_large"
        with connected(port) as client:
            client.send(b"GET /health HTTP/1.1\r\n\r\n")
            assert client.problem()["code"] == "bad_host"
        with connected(port) as client:
            client.send(b"HEAD /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            assert client.until(b"\r\n\r\n").startswith(b"HTTP/1.1 200 ")
            assert client.is_closed()
    finally:
        assert witness.stop() == 0
