"""Analyses asked of a running service: of a match that bots have played there, the command's to the last byte."""

from __future__ import annotations

import time
from pathlib import Path

import httpx
import msgspec
import pytest

from domain.analysis.report import Analysis
from services.cli.analysing.analyse import analyse
from services.web.onefile.page import one_file
from services.words.catalogue import speaking

SETTINGS = {"game": "common_hand", "seats": 2, "pause_ms": 0, "options": {"dice_per_player": 1}}


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def until_made(client: httpx.Client, path: str, within_s: float = 90) -> httpx.Response:
    """Return the answer at an address once it is no more that it is being made, or that the match is not over."""
    deadline = time.monotonic() + within_s
    while (answer := client.get(path)).status_code == 202 or answer.json().get("code") == "analysis_waits":
        assert time.monotonic() < deadline, answer.text
        time.sleep(0.2)
    return answer


def test_a_match_of_bots_is_analysed_as_the_command_does_it(
    service_url: str, service_folder: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    with httpx.Client(base_url=f"{service_url}/api/v1", timeout=60) as client:
        asked = {"rules": SETTINGS, "choices": {"bots": "instant"}}
        opened = client.post("/matches", json=asked).raise_for_status().json()
        match, host = f"/matches/{opened['match']}", bearer(opened["token"])
        before = client.get(f"{match}/analysis")
        assert (before.status_code, before.json()["code"]) == (404, "analysis_waits")
        client.post(f"{match}/bots", json={"count": 2}, headers=host).raise_for_status()
        client.post(f"{match}/start", headers=host).raise_for_status()
        made = until_made(client, f"{match}/analysis?samples=64")
        assert made.status_code == 200, made.text
        record = tmp_path / "match.cup"
        record.write_bytes(client.get(f"{match}/record").content)
        assert analyse(str(record), json=True, samples=64) == 0
        assert capsysbinary.readouterr().out == made.content
        kept = service_folder / "analyses" / f"{made.headers['etag'].removeprefix('W/').strip(chr(34))}.json"
        assert kept.read_bytes() == made.content
        kept.unlink()
        assert until_made(client, f"{match}/analysis?samples=64").content == made.content
        moments = client.get(f"{match}/analysis/moments?samples=64").json()
        assert [each["version"] for each in moments] == [each["version"] for each in made.json()["moments"]]
        page = client.get(f"{match}/analysis/page?samples=64&lang=de")
        with speaking("de"):
            assert page.content == one_file(record.read_bytes(), msgspec.json.decode(made.content, type=Analysis))
        sent = client.post("/analyses?samples=64", content=record.read_bytes(), headers={"Content-Type": "text/plain"})
        assert sent.status_code == 202, sent.text
        assert until_made(client, sent.headers["location"].removeprefix("/api/v1")).content == made.content
        forged = record.read_bytes().replace(b'"seat":1', b'"seat":2', 1)
        refused = client.post("/analyses?samples=64", content=forged, headers={"Content-Type": "text/plain"})
        found = until_made(client, refused.headers["location"].removeprefix("/api/v1"))
        assert (found.status_code, found.json()["code"]) == (422, "record_faulty")
        assert found.json()["fault"].startswith("E_")
        assert found.json()["line"] > 0
