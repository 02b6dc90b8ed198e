"""`truecup tournament new`, `add`, `check-in`, `start`, `pair`, `rule`, `watch`: an evening held from a terminal."""

from __future__ import annotations

import json
import stat
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final
from uuid import uuid4

import httpx
import pytest

from services.cli.exits import CANNOT, FINE
from services.cli.main import run
from services.cli.tournaments.hosting.desk import place_of_token
from tests.director.house import DICE

PATIENCE_S: Final = 120
TIME: Final = {"check_in_ms": 3_600_000, "between_ms": 0, "claims_ms": 0}
PAIRS: Final = {"preferred": 2, "min": 2, "max": 2}
RULES: Final = {"match": DICE, "stages": [{"format": "swiss", "rounds": 1, "sizes": PAIRS}]}
Say = Callable[..., list[str]]


@pytest.fixture
def say(service_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Say:
    """Return what runs a command of tournaments at the run's service, and returns what it prints."""
    monkeypatch.setenv("TRUECUP_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("LANG", "C")

    def command(*arguments: object, code: int = FINE) -> list[str]:
        found = run(["tournament", *map(str, arguments), "--url", service_url])
        out, err = capsys.readouterr()
        assert found == code, err
        return (out if code == FINE else err).splitlines()

    return command


@pytest.fixture
def rules(tmp_path: Path) -> Callable[..., Path]:
    def written(**members: Any) -> Path:
        path = tmp_path / f"{uuid4()}.json"
        path.write_text(json.dumps({**RULES, **members}))
        return path

    return written


def announced(say: Say, rules: Path) -> str:
    (line,) = say("new", "Club night", "--rules", rules, "--private", "--json")
    return str(json.loads(line)["tournament"])


def view_of(service_url: str, tournament: str) -> dict[str, Any]:
    found: dict[str, Any] = httpx.get(f"{service_url}/api/v1/tournaments/{tournament}", timeout=30).json()
    return found


def until(service_url: str, tournament: str, true: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    deadline = monotonic() + PATIENCE_S
    while not true(view := view_of(service_url, tournament)):
        assert monotonic() < deadline, view
        sleep(0.05)
    return view


def appointed(service_url: str, tournament: str, host: str) -> str:
    """Return the token of an arbiter."""
    path, headers = f"{service_url}/api/v1/tournaments/{tournament}/officials", {"Authorization": f"Bearer {host}"}
    answer = httpx.post(path, json={"role": "arbiter"}, headers={**headers, "Idempotency-Key": "0" * 32}, timeout=30)
    return str(answer.raise_for_status().json()["token"])


def test_an_evening_is_held_from_its_announcement_to_its_places(
    say: Say, rules: Callable[..., Path], service_url: str
) -> None:
    time = {**TIME, "start": "host", "claims_ms": 3_600_000}
    told = say("new", "Club night", "--rules", rules(time=time), "--private")
    assert told[0].startswith("Tournament ")
    page = told[0].split()[-1]
    tournament = page.rpartition("/")[2]
    kept = place_of_token(tournament)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert str(kept) in told[1]
    added = say("add", page, "Ann", "Bob", "Eve", "Dan", "--club", "Left Bank")
    assert [line.split(",")[0] for line in added] == ["1 Ann", "2 Bob", "3 Eve", "4 Dan"]
    assert "4 (Dan)" in say("check-in", tournament, 1, 2, 3)[0]
    assert say("check-in", tournament, 4) == ["Everybody has checked in."]
    assert say("start", tournament) == ["It goes on."]
    until(service_url, tournament, lambda view: bool(view["due"]["why"] == "host"))
    arbiter = ("--token", appointed(service_url, tournament, kept.read_text().split()[0]))
    say("pair", tournament, *arbiter)
    until(service_url, tournament, lambda view: bool(view["round"] and view["round"]["state"] == "started"))
    held = httpx.get(f"{service_url}/api/v1/tournaments/{tournament}/rounds/1/1", timeout=30).json()
    for table in held["tables"]:
        one, two = (seat["number"] for seat in table["seats"])
        ruled = say("rule", tournament, "--table", table["table"], "--ranking", f"{two},{one}", "--reason", "agreement")
        assert ruled[0].startswith(f"Stage 1, round 1, table {table['table']} counts as that now")
        looked_at_while_it_is_held(say, tournament, page)
    until(service_url, tournament, lambda view: bool(view["phase"] == "finished"))
    assert say("finish", tournament, *arbiter) == ["The tournament is closed."]
    watched = say("watch", tournament)
    assert "Round 1 is paired (pods/1):" in watched
    assert sum(line.startswith("Table ") and ", by an official: " in line for line in watched) == 2
    assert any("place" in line and "points" in line for line in watched)
    documents = [json.loads(line) for line in say("watch", tournament, "--json")]
    assert next(iter(documents[0])) == "snapshot"
    assert documents[1]["event"]["type"] == "tournament.created"
    assert "ended" in documents[-1]


def looked_at_while_it_is_held(say: Say, tournament: str, page: str) -> None:
    """Look at the round that is played: its tables by name, why, and what it was paired by."""
    (seat, *_) = json.loads(say("standings", page, "--round", 1, "--json")[0])["rows"]
    assert seat["name"] in {"Ann", "Bob", "Eve", "Dan"}
    assert any("(Ann)" in line for line in say("standings", tournament, "--round", 1))
    assert say("why", tournament, "--number", 1)[0].startswith("Round 1: 1 (Ann) sits at table ")
    assert json.loads(say("certificate", page, "--json")[0])["code"] == "OK"
    assert any("Ann" in line for line in say("export", page, "--as", "by-name"))
    assert "SUMMARY:Club night" in "".join(say("export", tournament, "--as", "calendar"))


def test_bots_play_and_answers_are_told_as_json(say: Say, rules: Callable[..., Path], service_url: str) -> None:
    tournament = announced(say, rules(time=TIME, entry={"bots": "only"}))
    (bots,) = say("add", tournament, "--bots", 4, "--json")
    assert json.loads(bots)["tournament"] == tournament
    opened, missing = map(json.loads, say("check-in", tournament, "--json"))
    assert opened["version"] > 1
    assert set(missing["missing"]) <= {1, 2, 3, 4}
    until(service_url, tournament, lambda view: bool(view["counts"]["here"] == 4))
    assert "version" in json.loads(say("start", tournament, "--json")[0])
    until(service_url, tournament, lambda view: bool(view["phase"] == "closed"))
    assert any(line.startswith("Table 1: ") for line in say("watch", tournament))


def test_what_cannot_be_done_is_a_sentence(say: Say, rules: Callable[..., Path], tmp_path: Path) -> None:
    tournament = announced(say, rules())
    assert "nothing to start" in say("start", tournament, code=CANNOT)[0]
    assert "no round yet" in say("rule", tournament, "--table", 1, "--ranking", "1,2", code=CANNOT)[0]
    assert "such as 3,1=2,4" in say("rule", tournament, "--table", 1, "--ranking", "1,,2", code=CANNOT)[0]
    assert "was kept here: give it with --token" in say("pair", uuid4(), code=CANNOT)[0]
    assert "the service said no" in say("pair", tournament, "--token", "truecup_host_none", code=CANNOT)[0]
    assert "the service said no" in say("new", "x", "--preset", "none", code=CANNOT)[0]
    (tmp_path / "bad.json").write_text("[1]")
    assert "cannot be read" in say("new", "x", "--rules", tmp_path / "bad.json", code=CANNOT)[0]
    assert "the service said no" in say("watch", uuid4(), code=CANNOT)[0]
    for command in (("standings",), ("why", "--number", 1), ("certificate",), ("export", "--as", "results")):
        assert "no tournament" in say(command[0], uuid4(), *command[1:], code=CANNOT)[0]
    assert "not paired yet" in say("standings", tournament, code=CANNOT)[-1]
    place_of_token(tournament).unlink()
    assert "--token" in say("pair", tournament, code=CANNOT)[0]


def test_a_kept_token_is_shown_to_the_house_that_gave_it_and_to_no_other(
    say: Say, rules: Callable[..., Path], service_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    tournament = announced(say, rules())
    kept, asked = place_of_token(tournament), list[str]()

    class Thief(BaseHTTPRequestHandler):
        """A house that gave no token."""

        def do_POST(self) -> None:
            asked.append(self.headers["Authorization"])
            self.send_error(404)

        def do_GET(self) -> None:
            self.do_POST()

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with HTTPServer(("127.0.0.1", 0), Thief) as thief:
        threading.Thread(target=thief.serve_forever, daemon=True).start()
        other = f"http://127.0.0.1:{thief.server_port}"
        assert run(["tournament", "pair", tournament, "--url", other]) == CANNOT
        told = capsys.readouterr().err
        thief.shutdown()
    assert asked == []
    assert f"is for {service_url} and is not shown to {other}: give --token" in told
    say("add", tournament, "Ann")
    kept.write_text(kept.read_text().splitlines()[0])
    assert "says no address" in say("pair", tournament, code=CANNOT)[0]
