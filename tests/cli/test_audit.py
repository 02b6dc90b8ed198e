"""The contract of `truecup audit`: what others script against."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import documents

VECTORS = Path(__file__).parents[1] / "fairness" / "vectors"
POLICY = VECTORS / "policy.txt"
FAIR = VECTORS / "bundles" / "ok-liars.cup"
UNFAIR = VECTORS / "bundles" / "bad-edited-bid.cup"
CONTRACT = ("status", "code", "line", "anchored", "head", "deals")
UNFINISHED = VECTORS / "bundles" / "incomplete-truncated.cup"


def test_every_bundle_is_judged_as_published(truecup):
    bundles = json.loads((VECTORS / "bundles.json").read_text())["bundles"]
    files = [VECTORS / bundle["file"] for bundle in bundles]
    said = truecup("audit", *files, "--policy", POLICY, "--layers", "1,2", "--json")
    assert said.returncode == 1
    found = documents(said.stdout)
    assert [str(file) for file in files] == [one["file"] for one in found]
    for bundle, one in zip(bundles, found, strict=True):
        expected = dict(bundle["result"])
        if "line" in expected:
            expected["line"] += 1
        assert expected == {
            name: one[name] for name in ("status", "code", "line", "anchored", "head", "deals") if name in one
        }


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ((FAIR,), 0),
        ((FAIR, UNFAIR), 1),
        ((UNFINISHED, FAIR), 2),
        ((UNFINISHED, UNFAIR), 1),
        ((FAIR, "no/such/file.cup"), 3),
        ((FAIR, VECTORS), 1),  # a folder stands for the records in it
        ((FAIR, VECTORS.parent), 1),
        ((FAIR, Path(__file__).parent), 3),  # which has none
    ],
)
def test_the_exit_code_is_that_of_the_worst_file(truecup, files, code):
    assert truecup("audit", *files, "--policy", POLICY, "--layers", "1,2", "--json").returncode == code


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_judged(truecup):
    said = truecup("audit", "no/such/file.cup", FAIR, "--policy", POLICY, "--layers", "1,2", "--json")
    assert said.stderr == "truecup: no/such/file.cup cannot be read: No such file or directory\n"
    assert [one["status"] for one in documents(said.stdout)] == ["OK"]


def test_code_and_line_are_absent_when_all_is_well(truecup):
    (one,) = documents(truecup("audit", FAIR, "--policy", POLICY, "--json").stdout)
    assert "code" not in one
    assert "line" not in one


def test_rules_that_no_engine_knows_are_said_not_to_have_been_checked(truecup):
    said = truecup("audit", FAIR, "--policy", POLICY, "--json")
    (one,) = documents(said.stdout)
    assert (said.returncode, one["status"], one["record"], one["layers"]) == (2, "INCOMPLETE", "INCOMPLETE", [1, 2])
    assert one["rules"].startswith("who won was not checked")
    assert one["message"].startswith(one["rules"])
    assert one["deals"], "what layers 1 and 2 found is still there"
    first, second, *_ = truecup("audit", FAIR, "--policy", POLICY).stdout.splitlines()
    assert first == f"{FAIR}: INCOMPLETE: who won was not checked"
    assert second.startswith("  who won was not checked")


@pytest.mark.parametrize(("asked", "checked"), [("1", [1]), ("1,2", [1, 2]), ("2,1", [1, 2])])
def test_only_the_layers_asked_for_are_checked(truecup, asked, checked):
    (one,) = documents(truecup("audit", FAIR, "--policy", POLICY, "--layers", asked, "--json").stdout)
    assert one["layers"] == checked
    assert "rules" not in one


def test_a_record_can_come_from_another_program(truecup):
    said = truecup("audit", "-", "--policy", POLICY, "--layers", "1,2", "--json", given=FAIR.read_text())
    assert said.returncode == 0
    assert documents(said.stdout)[0]["file"] == "-"


def test_without_a_policy_the_log_is_not_judged_and_the_report_says_so(truecup):
    (one,) = documents(truecup("audit", FAIR, "--json").stdout)
    assert one["anchored"] is False
    assert "No policy was given, so nobody\u2019s signature was judged" in truecup("audit", FAIR).stdout


def test_the_policy_is_looked_for_where_truecup_policy_says_and_then_beside_the_data(truecup, tmp_path):
    (named,) = documents(truecup("audit", FAIR, "--json", TRUECUP_POLICY=str(POLICY)).stdout)
    assert named["anchored"] is True
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "policy.txt").write_bytes(POLICY.read_bytes())
    (beside,) = documents(truecup("audit", FAIR, "--json").stdout)
    assert beside["anchored"] is True


def test_a_policy_that_is_none_is_refused_in_a_sentence(truecup, tmp_path):
    (tmp_path / "odd.txt").write_text("trust everybody\n")
    said = truecup("audit", FAIR, "--policy", tmp_path / "odd.txt")
    assert said.returncode == 3
    assert said.stderr.count("\n") == 1


ODD = [
    b"",
    b"\n",
    b"\x00\xff",
    b"\xef\xbb\xbf{}\n",
    b"[" * 100_000,
    b'{"a":' * 50_000 + b"\n",
    b'{"seq":' + b"9" * 50_000 + b"}\n",
]


@pytest.mark.parametrize("content", ODD)
def test_no_bytes_make_it_stumble(truecup, tmp_path, content):
    (tmp_path / "odd.cup").write_bytes(content)
    said = truecup("audit", tmp_path / "odd.cup", "--policy", POLICY, "--json")
    assert said.returncode == 1
    assert documents(said.stdout)[0]["code"].startswith("E_")


def test_the_report_for_people_says_what_was_proved_what_was_not_and_who_brought_seeds(truecup):
    said = truecup("audit", FAIR, "--policy", POLICY, "--layers", "1,2").stdout
    for part in (
        "OK",
        "Proved:",
        "Not proved:",
        "What the server could still do:",
        "the record says that every seat drew its own seed",
        "were fixed before any seed was opened.",
    ):
        assert part in said


def test_the_report_of_a_fault_names_its_code_and_line(truecup):
    said = truecup("audit", UNFAIR, "--policy", POLICY).stdout
    assert f"{UNFAIR}: FAULT E_CHAIN in line 22" in said
