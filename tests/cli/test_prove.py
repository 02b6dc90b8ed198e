"""The answers of `truecup prove` about dice that a match kept secret."""

from __future__ import annotations

import json
from threading import Event

import httpx
import pytest

from domain import events
from projections.unshown_openings import unshown_openings
from tests.cli.conftest import PATIENCE_S, documents
from tests.domain.test_shown import keepers, played
from tests.fairness.record_files import bundled


@pytest.fixture
def files(tmp_path):
    course = played()
    openings = [events.data_of(one) for one in unshown_openings(course.events, 1, keepers(course))]
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


@pytest.mark.parametrize("empty", ["[]", "{}"])
def test_nothing_to_prove_is_said_and_is_no_proof(truecup, files, empty):
    (files / "empty.json").write_text(empty)
    said = truecup("prove", files / "match.cup", files / "empty.json")
    assert (said.returncode, said.stdout) == (3, "")
    assert "nothing to prove" in said.stderr


def test_what_the_house_serves_to_a_seat_is_what_proves_its_folded_dice(truecup, running, tmp_path):
    rules = {"game": "common_hand", "seats": 2, "pause_ms": 0}
    with httpx.Client(base_url=f"{running.url}/api/v1", timeout=60) as client:

        def posted(path, body, token=None):
            headers = {} if token is None else {"Authorization": f"Bearer {token}"}
            return client.post(path, json=body, headers=headers).raise_for_status().json()

        opened = posted("/matches", {"rules": rules, "policy": "shown"})
        path = f"/matches/{opened['match']}"
        token = posted(f"{path}/seats", {"name": "Ada", "custody": "server"})["token"]
        posted(f"{path}/bots", {"count": 1}, opened["token"])
        posted(f"{path}/start", {}, opened["token"])
        for _ in range(10 * PATIENCE_S):
            if client.get(path).json()["dice_in_play"]:
                break
            Event().wait(0.1)
        else:
            pytest.fail("no dice fall")
        posted(f"{path}/commands", {"type": "resign"}, token)
        running.wait_until_over(opened["match"])
        served = client.get(f"{path}/openings/folded", headers={"Authorization": f"Bearer {token}"})
        (tmp_path / "match.cup").write_bytes(client.get(f"{path}/record").content)
    (tmp_path / "folded.json").write_bytes(served.raise_for_status().content)

    said = truecup("prove", tmp_path / "match.cup", tmp_path / "folded.json", "--json")

    found = documents(said.stdout)
    assert said.returncode == 0, said
    assert len(found) == len(served.json()) >= 1
    assert {one["status"] for one in found} == {"OK"}
