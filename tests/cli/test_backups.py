"""`truecup backup`, `restore` and `verify` as people run them, beside a `truecup up` and in a folder of its own."""

from __future__ import annotations

import asyncio
import stat
from pathlib import Path

import pytest

from services.cli.operating.backups.sights import WitnessSight
from services.cli.operating.backups.verdict import EXITS, DatabaseVerdict, verdict_words
from services.local.witness import EmbeddedWitness
from tests.cli.conftest import Run


@pytest.mark.long
def test_a_backup_beside_a_house_that_runs_goes_into_a_folder_of_its_own(
    truecup: Run, service_folder: Path, tmp_path: Path
) -> None:
    backup, key, data = tmp_path / "backup", tmp_path / "key", tmp_path / "elsewhere"
    taken = truecup("backup", backup, "--data", service_folder, "--with-key", key)
    assert (taken.returncode, "is a whole backup" in taken.stdout) == (0, True), taken.stderr
    assert key.read_text() == (service_folder / "key").read_text()
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    verified = truecup("verify", "--data", service_folder)
    assert (verified.returncode, "NEWEST" in verified.stdout) == (0, True), verified.stdout + verified.stderr
    assert verified.stdout.count("all of them here") == 2

    # Witnesses of the folder it goes to are asked, and one that knows nothing of the log says nothing.
    asyncio.run(once(EmbeddedWitness(data / "witness-1", "w.example/1", lambda: ())))
    restored = truecup("restore", backup, "--data", data)
    assert (restored.returncode, "UNKNOWN" in restored.stdout) == (2, True), restored.stdout + restored.stderr
    assert "w.example/1 did not say: it answers 404" in restored.stdout
    assert not (data / "key").exists(), "no key is made for a house that has one"
    again = truecup("restore", backup, "--data", data)
    assert (again.returncode, "there is a house in this database already" in again.stderr) == (3, True)


async def once(witness: EmbeddedWitness) -> None:
    """Start a witness and stop it, so that it is there."""
    await witness.start()
    await witness.stop()


def test_a_key_is_written_nowhere_that_it_should_not_be(truecup: Run, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.touch()
    key = {"TRUECUP_KEY": "ab" * 32, "TRUECUP_KEY_BEFORE": "cd" * 32}
    for named, settings, why in (
        (tmp_path / "key", {}, "there is no key here"),
        (there, key, "is there already"),
        (tmp_path / "backup" / "key", key, "has no place in the backup"),
    ):
        said = truecup("backup", tmp_path / "backup", "--with-key", named, **settings)
        assert (said.returncode, why in said.stderr) == (3, True), said.stderr
    (tmp_path / "new.before").touch()
    said = truecup("backup", tmp_path / "backup", "--with-key", tmp_path / "new", **key)
    assert "new.before is there already" in said.stderr
    assert not (tmp_path / "backup").exists()


@pytest.mark.parametrize("command", [("backup", "x"), ("restore", "."), ("verify",)])
def test_what_cannot_be_done_is_said_in_one_sentence(truecup: Run, command: tuple[str, ...]) -> None:
    said = truecup(*command, TRUECUP_DATABASE_URL="postgres://127.0.0.1:9/x")
    assert (said.returncode, said.stdout, said.stderr.count("\n")) == (3, "", 1), said.stderr


def test_a_house_with_several_databases_that_do_not_answer_is_told_so(truecup: Run) -> None:
    said = truecup(
        "verify", TRUECUP_DATABASE_URL="postgres://127.0.0.1:9/x", TRUECUP_SHARDS="b postgres://127.0.0.1:9/y"
    )
    assert (said.returncode, said.stdout, said.stderr.count("\n")) == (3, "", 1), said.stderr


def test_each_verdict_is_said_with_what_it_stands_on() -> None:
    sights = (
        WitnessSight("w1", "agrees", 90),
        WitnessSight("w2", "saw_more", 1_103),
        WitnessSight("w3", "forked", 100, "it has signed another history"),
        WitnessSight("w4", "silent", None, "it does not answer"),
    )
    for state in EXITS:
        verdict = DatabaseVerdict(state, 1, 5, 100, 1_003, 1_795_720_211, sights, ("a fault",), 4, 7)
        lines = verdict_words(verdict)
        assert lines[0] == "lines: 5; streams: 1; entries of the transparency log: 100"
        assert "(answers: 4)" in lines[1]
        assert "(rows: 7)" in lines[1]
        assert lines[2].startswith("Taken as it is")
        assert lines[3] == "fault: a fault"
        assert "1,103" in lines[5]
        assert lines[-1].startswith(state.upper())
    unread = DatabaseVerdict("newest", 1, 5, 100, 0, None, (), (), unread=2)
    assert verdict_words(unread)[3].endswith("taken as they are: streams: 2")
    assert "1,003 entries" in verdict_words(DatabaseVerdict("older", 1, 5, 100, 1_003, None, sights, ()))[-1]
    assert "2026-11-26" in verdict_words(DatabaseVerdict("unknown", 1, 5, 100, 0, 1_795_720_211, (), ()))[-1]
    assert "No witness" in verdict_words(DatabaseVerdict("unknown", 1, 5, 100, 0, None, (), ()))[-1]
