"""A policy that comes another way than the record: from the domain name system, from a package."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from services.cli.main import run
from tests.fairness.scripted_server import POLICY_TEXT, Story

RECORD = Story().to_end().record()


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A record, on a machine without data of its own."""
    monkeypatch.setenv("TRUECUP_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("TRUECUP_POLICY", raising=False)
    (tmp_path / "policy.txt").write_text(POLICY_TEXT)
    (tmp_path / "match.cup").write_bytes(RECORD)
    return tmp_path / "match.cup"


def audited(record: Path, policy: object) -> int:
    return run(["audit", str(record), "--layers", "1,2", "--policy", str(policy)])


@pytest.fixture
def answer(record: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What `dig +short TXT` prints for who has published the policy, beside another record of the name."""
    assert run(["policy", "pin", str(record.parent / "policy.txt")]) == 0
    return f'"v=spf1 -all"\n{capsys.readouterr().out}'


def test_a_record_is_judged_by_an_answer_of_the_domain_name_system(record: Path, answer: str) -> None:
    kept = record.parent / "answer.txt"
    kept.write_text(answer)
    assert audited(record, kept) == 0
    reading, writing = os.pipe()
    with open(reading, "rb"), open(writing, "wb") as sent:  # noqa: PTH123 - ends of a pipe
        sent.write(answer.encode())
        sent.close()
        assert audited(record, f"/dev/fd/{reading}") == 0


def test_a_record_of_another_log_is_not_believed(record: Path, answer: str, capsys: pytest.CaptureFixture[str]) -> None:
    kept = record.parent / "answer.txt"
    kept.write_text(answer.replace("log log.example", "log other.example"))
    assert audited(record, kept) in {1, 3}
    assert "OK" not in capsys.readouterr().out


@pytest.fixture
def package(record: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of an installed package that has the policy, and would say so if it were run."""
    site = record.parent / "site"
    (site / "vouched").mkdir(parents=True)
    (site / "vouched" / "__init__.py").write_text("raise SystemExit('run')")
    (site / "vouched" / "dice.txt").write_text(POLICY_TEXT)
    about = site / "dice_policies-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: dice-policies\nVersion: 1.0\n")
    (about / "RECORD").write_text("vouched/__init__.py,,\nvouched/dice.txt,,\n")
    monkeypatch.syspath_prepend(str(site))
    return "dice-policies"


def test_a_record_is_judged_by_a_file_of_a_package(record: Path, package: str) -> None:
    assert audited(record, f"package:{package}/vouched/dice.txt") == 0


@pytest.mark.parametrize("name", ["{}/vouched/other.txt", "{}", "no-such-package/dice.txt", "/"])
def test_a_package_that_does_not_have_it_is_named(
    record: Path, package: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audited(record, f"package:{name.format(package)}") == 3
    assert capsys.readouterr().err.startswith("truecup: the policy package:")


@pytest.mark.parametrize("text", ["nothing of the kind", "quorum none; quorum none", '"v=spf1 -all"'])
def test_what_is_no_policy_is_not_pinned(record: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    (record.parent / "policy.txt").write_text(text)
    assert run(["policy", "pin", str(record.parent / "policy.txt")]) == 3
    assert "cannot be pinned" in capsys.readouterr().err
