"""Passwords in addresses: no command says one, whatever is wrong with the address or the server behind it."""

from __future__ import annotations

import socketserver
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from infra import telemetry
from services.cli.exits import CANNOT, FOUND
from services.cli.main import run

PASSWORD: Final = "canary7"
NOBODY: Final = "127.0.0.1:1"
MATCH: Final = "018f4e6a-7c00-4000-8000-000000000001"
TO_A_DATABASE: Final = (
    ("migrate",),
    ("serve", "--port", "0", "--processes", "1"),
    ("up", "--port", "0", "--processes", "1"),
    ("doctor", "--json"),
    ("backup", "kept"),
    ("verify",),
    ("move-shard", "1", "second"),
    ("rewrap",),
    ("erase", "somebody"),
    ("withdraw", MATCH, MATCH),
    ("bench", "store", "--seconds", "1"),
)
"""Commands that go to the database of the settings, each with its arguments."""
ADDRESSES: Final = (
    "postgres://me:{}@{}/x",
    "postgres://me:{}@{}/x?sslmode=require",
    "postgres://me:{0}@{1}/x?sslmode=verify-full&sslrootcert=/{0}/root.crt",
    "postgres://{1}/x?user=me&password={0}&target_session_attrs={0}",
    "postgres://me:a/{}@{}/x",
)
BUSES: Final = ("nats://me:{}@{}", "tls://{}@{}", "nats://me:{}@{}/a@b", "nats://me:a#{}@{}")


class _Refusing(socketserver.BaseRequestHandler):
    """A Postgres that takes no TLS, and no password."""

    def handle(self) -> None:
        """Refuse one who comes (PostgreSQL, chapter 54.7: SSLRequest has 8 bytes, ErrorResponse begins with E)."""
        if len(self.request.recv(1_024)) == 8:
            self.request.sendall(b"N")
            self.request.recv(1_024)
        told = b'SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed for user "me"\0\0'
        self.request.sendall(b"E" + (4 + len(told)).to_bytes(4, "big") + told)


@pytest.fixture(scope="module")
def refusing() -> Iterator[str]:
    """Return where a database is that refuses everybody."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Refusing) as server:
        serving = threading.Thread(target=server.serve_forever, args=(0.05,))
        serving.start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        serving.join()


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Give a folder of its own, and leave the lines of this process as they are set up."""
    monkeypatch.setattr(telemetry, "set_up", lambda *_: None)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRUECUP_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("TRUECUP_KEY_BEFORE", "0" * 64)
    monkeypatch.setenv("TRUECUP_WITNESSES", "")
    monkeypatch.setenv("TRUECUP_DATABASE_URL", f"postgres://{NOBODY}/x")
    monkeypatch.setenv("TRUECUP_NATS_URL", f"nats://{NOBODY}")


def _check(command: tuple[str, ...], heard: pytest.CaptureFixture[str], lines: pytest.LogCaptureFixture) -> None:
    assert run(command) in {CANNOT, FOUND}
    said = heard.readouterr()
    assert said.err or said.out
    assert PASSWORD not in said.out + said.err + lines.text


@pytest.mark.parametrize("command", TO_A_DATABASE, ids=lambda command: command[0])
def test_no_command_says_the_password_of_a_database(
    command: tuple[str, ...],
    refusing: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    for address in ADDRESSES:
        for place in (NOBODY, refusing):
            monkeypatch.setenv("TRUECUP_DATABASE_URL", address.format(PASSWORD, place))
            _check(command, capfd, caplog)


@pytest.mark.parametrize("command", [TO_A_DATABASE[0], TO_A_DATABASE[3]], ids=lambda command: command[0])
def test_nor_that_of_a_further_database(
    command: tuple[str, ...],
    refusing: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    for address in ADDRESSES:
        monkeypatch.setenv("TRUECUP_SHARDS", f"second {address.format(PASSWORD, refusing)}")
        _check(command, capfd, caplog)


@pytest.mark.parametrize("address", BUSES)
def test_nor_that_of_a_bus(
    address: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("TRUECUP_NATS_URL", address.format(PASSWORD, NOBODY))
    _check(("doctor",), capfd, caplog)
    _check(("serve", "--port", "0", "--processes", "1"), capfd, caplog)


def test_nor_that_of_a_witness(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    for command in ("serve", "doctor"):
        monkeypatch.setenv("TRUECUP_WITNESSES", f"a-key http://me:{PASSWORD}@{NOBODY}")
        _check((command,), capfd, caplog)
