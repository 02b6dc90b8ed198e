"""`truecup open`: a list from a file, a row for each token, and every bad row said."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import httpx
import pytest

from services.cli.exits import CANNOT, FINE
from services.cli.main import run


def opened(path: Path, url: str, *more: str) -> int:
    return run(["open", str(path), "--url", url, *more])


def test_a_list_is_opened_and_each_token_has_a_row_with_the_link_to_its_seat(
    tmp_path: Path, service_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tables.csv").write_text("game,seat 1,seat 2\ncommon_hand,Ada,Ben\nfinska,Cyd,\n")
    assert opened(tmp_path / "tables.csv", service_url) == FINE
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert [(row["row"], row["role"], row["seat"]) for row in rows] == [
        *(("1", "host", ""), ("1", "seat", "1"), ("1", "seat", "2"), ("2", "host", ""), ("2", "seat", "1")),
    ]
    match, token = rows[1]["match"], rows[1]["token"]
    assert rows[1]["link"] == f"{service_url}/m/{match}#seat=1&token={token}"
    headers = {"Authorization": f"Bearer {token}"}
    view = httpx.get(f"{service_url}/api/v1/matches/{match}", headers=headers, timeout=30).json()
    assert (view["viewer"], view["seats"][0]["name"]) == (1, "Ada")
    (tmp_path / "tables.ndjson").write_text('{"rules":{"game":"finska"}}\n')
    assert opened(tmp_path / "tables.ndjson", service_url, "--json") == FINE
    assert len(json.loads(capsys.readouterr().out)["tables"]) == 1


def test_every_bad_row_is_said_and_nothing_is_opened(
    tmp_path: Path, service_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "tables.csv").write_text("game,seat 1\ncommon_hand,Ada\nchess,Ben\nfinska,\u202e\n")
    assert opened(tmp_path / "tables.csv", service_url) == CANNOT
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines()[0].startswith("4: bad_name: ")
    assert said.err.splitlines()[-1].startswith("truecup: the service said no: the list cannot be taken as it is")


@pytest.mark.parametrize("name", ["none.csv", "tables.txt", "long.csv"])
def test_what_is_no_list_is_not_sent(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tables.txt").touch()
    (tmp_path / "long.csv").write_bytes(b"\n" * (2**20 + 1))
    assert opened(tmp_path / name, "http://127.0.0.1:9") == CANNOT
    assert name in capsys.readouterr().err
