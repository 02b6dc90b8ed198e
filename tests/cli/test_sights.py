"""`truecup monitor --compare` and `truecup audit --seen`, as people run them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec import Struct

from domain.fairness.records import split
from domain.log import canonical
from domain.log.receipts import sign_receipt
from services.cli.main import run
from tests.cli.conftest import documents
from tests.fairness.scripted_server import ORIGIN, POLICY_TEXT, SIGNERS, STREAM, Story

FAIR = Story().to_end().record()
OTHER = Story(rules={"game": "pips", "pause_ms": 1}).to_end().record()


def receipt(seq: int, head: str) -> str:
    return sign_receipt(ORIGIN, STREAM, seq, head, signers=[SIGNERS[ORIGIN]])


class Said(Struct):
    """What a command came to."""

    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Said]


@pytest.fixture
def truecup(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs the command in this process, on a machine without data of its own."""
    monkeypatch.setenv("TRUECUP_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("TRUECUP_POLICY", raising=False)

    def one(*arguments: object) -> Said:
        code = run([*map(str, arguments)])
        return Said(code, *capsys.readouterr())

    return one


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A policy, and two folders: one with a record, and one that is empty."""
    for name in ("ann", "bob"):
        (tmp_path / name).mkdir()
    (tmp_path / "ann" / "match.cup").write_bytes(FAIR)
    (tmp_path / "policy.txt").write_text(POLICY_TEXT)
    return tmp_path / "policy.txt", tmp_path / "ann", tmp_path / "bob"


def test_two_folders_of_one_history_agree(truecup: Run, folders: tuple[Path, Path, Path]) -> None:
    policy, ann, bob = folders
    (bob / "his.cup").write_bytes(FAIR)
    said = truecup("monitor", "--compare", ann, bob, "--policy", policy)
    assert (said.returncode, said.stderr) == (0, "")
    assert said.stdout == "What both have seen of 1 log and 1 stream is one history.\n"


def test_two_folders_of_two_histories_prove_it(truecup: Run, folders: tuple[Path, Path, Path]) -> None:
    policy, ann, bob = folders
    (bob / "his.cup").write_bytes(OTHER)
    said = truecup("monitor", "--compare", ann, bob, "--policy", policy)
    assert said.returncode == 1
    roots = (
        f"Two histories: the first 2 entries of the log {ORIGIN} are others in the log as {ann}/match.cup has it"
        f" than in the log as {bob}/his.cup has it."
    )
    heads = (
        f"Two histories: line 1 of {STREAM} is another in the record {ann}/match.cup than in the record {bob}/his.cup."
    )
    assert said.stdout.splitlines() == [roots, heads]
    found = json.loads(truecup("monitor", "--compare", ann, bob, "--policy", policy, "--json").stdout)
    assert [(one["kind"], one["number"]) for one in found["differences"]] == [("roots", 2), ("heads", 1)]


def test_what_has_nothing_in_common_is_not_complete(truecup: Run, folders: tuple[Path, Path, Path]) -> None:
    policy, ann, bob = folders
    stream = "match/09feebed-f45a-44f6-94c7-cee9cb798097"
    (bob / "a.receipts").write_text(sign_receipt(ORIGIN, stream, 3, "ab" * 32, signers=[SIGNERS[ORIGIN]]))
    said = truecup("monitor", "--compare", ann, bob, "--policy", policy)
    assert said.returncode == 2
    assert said.stdout == "Not checked: the two have seen no log and no stream in common.\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("monitor", "--compare", "{ann}", "{bob}", "--policy", "{policy}"),
        ("monitor", "--compare", "{ann}", "{ann}/none", "--policy", "{policy}"),
        ("monitor", "http://127.0.0.1:9", "--compare", "{ann}", "{ann}", "--policy", "{policy}"),
        ("monitor", "--policy", "{policy}"),
        ("monitor", "--compare", "{ann}", "{ann}"),
        ("audit", "{ann}", "--seen", "{ann}"),
        ("audit", "-", "--seen", "{ann}", "--policy", "{policy}"),
        ("audit", "{ann}", "--seen", "{bob}", "--policy", "{policy}"),
    ],
)
def test_what_cannot_be_held_against_anything_is_refused(
    truecup: Run, folders: tuple[Path, Path, Path], arguments: tuple[str, ...]
) -> None:
    named = dict(zip(("policy", "ann", "bob"), folders, strict=True))
    said = truecup(*(argument.format(**named) for argument in arguments))
    assert said.returncode == 3
    assert said.stderr.startswith("truecup: ")


def test_records_are_held_against_what_somebody_else_has_seen(truecup: Run, folders: tuple[Path, Path, Path]) -> None:
    policy, ann, bob = folders
    lines = split(FAIR).lines
    (bob / "kept.receipts").write_text(receipt(7, canonical.head(lines[7])))
    usual = ("audit", ann / "match.cup", "--policy", policy, "--layers", "1,2", "--seen", bob)
    said = truecup(*usual)
    assert said.returncode == 0
    assert said.stdout.endswith("What both have seen of 0 logs and 1 stream is one history.\n")
    (bob / "kept.receipts").write_text(receipt(7, "ab" * 32))
    said = truecup(*usual)
    assert said.returncode == 1
    assert said.stdout.endswith(
        f"line 8 of {STREAM} is another in the record {ann}/match.cup than in a receipt in {bob}/kept.receipts.\n"
    )
    assert [one.get("record") for one in documents(truecup(*usual, "--json").stdout)] == ["OK", None]


def test_receipts_are_held_against_what_somebody_else_has_seen(truecup: Run, folders: tuple[Path, Path, Path]) -> None:
    policy, ann, bob = folders
    head = canonical.head(split(FAIR).lines[7])
    (ann / "own.txt").write_text(receipt(7, head))
    (bob / "his.cup").write_bytes(OTHER)
    said = truecup(
        *("audit", ann / "match.cup", "--policy", policy, "--layers", "1,2"),
        *("--seen", bob, "--receipts", ann / "own.txt", "--json"),
    )
    assert said.returncode == 1
    assert [one["number"] for one in documents(said.stdout)[-1]["differences"]] == [2, 1]
