"""Requests of commands whose answers are lost, or whose house is busy: sent again as the same, they happen once."""

from __future__ import annotations

import csv
import json
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

import httpx
import pytest

from services.cli import asking
from services.cli.exits import CANNOT, FINE
from services.cli.kept import place_of
from services.cli.main import run

TROUBLES: Final = ("lost", 429, 503)


class Losing(ThreadingHTTPServer):
    """Stands between a command and a house, and does not hand every answer on.

    Attributes:
        troubles: What becomes of the next answers to what is asked for: each is thrown away, or a status of its own is
            said in its place, and nothing is asked of the house.
        keys: The idempotency keys that came.
        lost: What was answered and thrown away.
    """

    daemon_threads = True

    def __init__(self, truth: str) -> None:
        super().__init__(("127.0.0.1", 0), Handing)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.truth, self.troubles = truth, list[str | int]()
        self.keys, self.lost = list[str | None](), list[bytes]()


class Handing(BaseHTTPRequestHandler):
    """One connection."""

    server: Losing

    def do_POST(self) -> None:
        self.server.keys.append(self.headers["Idempotency-Key"])
        self.hand_on(self.server.troubles.pop(0) if self.server.troubles else None)

    def do_GET(self) -> None:
        self.hand_on(None)

    def hand_on(self, trouble: str | int | None) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if isinstance(trouble, int):
            self.send_response(trouble)
            self.send_header("Retry-After", "0")
            self.end_headers()
            return
        headers = {name: value for name, value in self.headers.items() if name != "Host"}
        answer = httpx.request(self.command, self.server.truth + self.path, content=body, headers=headers, timeout=30)
        if trouble == "lost":
            self.server.lost.append(answer.content)
            return
        self.send_response(answer.status_code)
        self.end_headers()
        self.wfile.write(answer.content)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def losing(service_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Losing]:
    """Return what stands before the run's service, which is asked again soon."""
    monkeypatch.setattr(asking, "WAIT_S", 0.01)
    monkeypatch.setenv("TRUECUP_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("LANG", "C")
    with Losing(service_url) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server
        server.shutdown()


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        (("tournament", "new", "Night", "--private"), "tournaments"),
        (("season", "new", "Autumn"), "seasons"),
        (("player", "new", "Ada"), "players"),
    ],
)
def test_a_token_of_a_lost_answer_is_not_lost(losing: Losing, command: Sequence[str], kind: str) -> None:
    losing.troubles = list(TROUBLES)
    assert run([*command, "--url", losing.url]) == FINE
    answer = json.loads(losing.lost[0])
    kept = place_of(kind, answer[kind.removesuffix("s")])
    assert kept.read_text().splitlines()[0] == answer["token"]
    assert (len(losing.keys), len(set(losing.keys))) == (4, 1)


def test_tables_of_a_lost_answer_are_opened_once_and_their_tokens_told(
    losing: Losing, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tables.csv").write_text("game,seat 1\ncommon_hand,Ada\n")
    losing.troubles = list(TROUBLES)
    assert run(["open", str(tmp_path / "tables.csv"), "--url", losing.url]) == FINE
    (table,) = json.loads(losing.lost[0])["tables"]
    rows = csv.DictReader(capsys.readouterr().out.splitlines())
    assert [row["token"] for row in rows] == [table["token"], table["seats"][0]["token"]]
    assert (len(losing.keys), len(set(losing.keys))) == (4, 1)


def test_whoever_is_entered_behind_a_lost_answer_is_entered_once(
    losing: Losing, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["tournament", "new", "Night", "--private", "--json", "--url", losing.url]) == FINE
    tournament = json.loads(capsys.readouterr().out)["tournament"]
    assert run(["tournament", "add", tournament, "--url", losing.url]) == FINE
    losing.troubles = [429, "lost", "lost"]
    assert run(["tournament", "add", tournament, "Ann", "--json", "--url", losing.url]) == FINE
    entered, *repeated = map(json.loads, losing.lost)
    assert json.loads(capsys.readouterr().out)["token"] == entered["token"]
    assert [each["token"] for each in repeated] == [entered["token"]]
    found = httpx.get(f"{losing.truth}/api/v1/tournaments/{tournament}/entrants", timeout=30).json()
    assert [each["name"] for each in found] == ["Ann"]


def test_a_house_that_stays_busy_is_asked_four_times(losing: Losing, capsys: pytest.CaptureFixture[str]) -> None:
    losing.troubles = [503] * 5
    assert run(["player", "new", "Ada", "--url", losing.url]) == CANNOT
    assert "the service said no" in capsys.readouterr().err
    assert (len(losing.keys), len(set(losing.keys))) == (4, 1)
