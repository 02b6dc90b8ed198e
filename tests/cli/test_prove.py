"""What `truecup prove` says of dice that a match kept secret."""

from __future__ import annotations

import json

import pytest

from domain import events
from projections.folded import folded
from tests.cli.conftest import documents
from tests.domain.test_shown import keepers, played
from tests.fairness.bundling import bundled


@pytest.fixture
def files(tmp_path):
    course = played()
    openings = [events.data_of(one) for one in folded(course.events, 1, keepers(course))]
    (tmp_path / "match.cup").write_bytes(bundled(course.record))
    (tmp_path / "all.json").write_text(json.dumps(openings))
    (tmp_path / "one.json").write_text(json.dumps(openings[0]))
    (tmp_path / "lie.json").write_text(json.dumps({**openings[0], "values": [[0, 7]]}))
    return tmp_path


def test_each_opening_proves_its_dice(truecup, files):
    said = truecup("prove", files / "match.cup", files / "all.json", "--json")
    found = documents(said.stdout)
    assert said.returncode == 0
    assert len(found) == len(json.loads((files / "all.json").read_text()))
    assert {one["status"] for one in found} == {"OK"}
    assert "Proved: deal 0, cup 1" in truecup("prove", files / "match.cup", files / "one.json").stdout


def test_an_opening_that_says_something_else_proves_nothing(truecup, files):
    said = truecup("prove", files / "match.cup", files / "lie.json", "--json")
    (one,) = documents(said.stdout)
    assert (said.returncode, one["status"], one["code"]) == (1, "FAULT", "E_VALUE")
    assert truecup("prove", files / "match.cup", files / "lie.json").stdout.startswith("Not proved: E_VALUE")


@pytest.mark.parametrize("other", ["none.json", "match.cup"])
def test_a_file_that_holds_no_openings_is_refused_in_a_sentence(truecup, files, other):
    said = truecup("prove", files / "match.cup", files / other)
    assert (said.returncode, said.stdout, said.stderr.count("\n")) == (3, "", 1)
