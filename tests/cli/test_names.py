"""`truecup audit` with what people are called: beside the record, named, swapped, and no such file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from services.cli.main import run
from tests.fairness.record_files import access_beside
from tests.fairness.scripted_server import POLICY_TEXT
from tests.fairness.test_names import record, told


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "match.cup").write_bytes(record())
    (tmp_path / "match.access").write_bytes(access_beside(record()))
    (tmp_path / "policy.txt").write_text(POLICY_TEXT)
    return tmp_path


def audit(folder: Path, *more: str) -> int:
    return run(["audit", str(folder / "match.cup"), "--policy", str(folder / "policy.txt"), *more])


def test_names_beside_a_record_are_checked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert audit(folder, "--json") == 0
    assert "names" not in json.loads(capsys.readouterr().out)
    (folder / "match.names.ndjson").write_bytes(told())
    assert audit(folder) == 0
    assert "The names of seats 1 and 2 are those that the record commits to." in capsys.readouterr().out
    assert audit(folder, "--json") == 0
    assert json.loads(capsys.readouterr().out)["names"]["checked"] == [1, 2]


def test_names_that_were_swapped_are_a_fault_and_exit_by_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "match.names.ndjson").write_bytes(told())
    other = folder / "others.ndjson"
    other.write_bytes(told().replace(b'"name":"Ada"', b'"name":"Eve"'))
    assert audit(folder, "--names", str(other)) == 1
    said = capsys.readouterr().out
    assert "FAULT E_NAMES in line 2" in said
    assert "Line 2: the name that is told is not the one that the record commits to." in said


def test_what_is_no_file_of_names_is_told_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "none").write_text("Ada\n")
    assert audit(folder, "--names", str(folder / "none")) == 3
    assert "its names cannot be read: a file of names has one JSON object a line" in capsys.readouterr().err
    assert audit(folder, "--names", str(folder / "gone")) == 3
    two = ["audit", *[str(folder / "match.cup")] * 2, "--names", str(folder / "none")]
    assert run(two) == 3
    assert "--names belongs to one record" in capsys.readouterr().err
