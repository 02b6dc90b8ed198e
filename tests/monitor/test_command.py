"""`truecup monitor`, as people run it."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from infra.keys import Ed25519Signer
from tests.cli import forking
from tests.monitor import serving
from tests.monitor.serving import House, entry, match_of, whole

ROOT = Path(__file__).parents[2]
PROGRAM = [sys.executable, "-m", "services.cli.main"]
PATIENCE_S = 60

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def house() -> Iterator[House]:
    with House([one for number in range(3) for one in whole(number)]) as served:
        yield served


def environment(folder: Path) -> dict[str, str]:
    kept = {name: text for name, text in os.environ.items() if not name.startswith("TRUECUP_")}
    return kept | {"TRUECUP_DATA": str(folder / "data"), "PYTHONUNBUFFERED": "1"}


def command(house: House, folder: Path, *arguments: str) -> list[str]:
    (folder / "policy").write_text(serving.POLICY)
    usual = [("--policy", str(folder / "policy")), ("--folder", str(folder / "seen"))]
    given = [word for pair in usual if pair[0] not in arguments for word in pair]
    return [*PROGRAM, "monitor", house.url, *given, *arguments]


@pytest.fixture
def look(house: House, tmp_path: Path, shared: Callable[[str], Any]) -> Run:
    """Return a function that runs one look."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        given = command(house, tmp_path, "--once", *arguments)[len(PROGRAM) :]
        ended = forking.run(shared("forker")["address"], given, environment(tmp_path), None, PATIENCE_S)
        assert "Traceback" not in ended.stderr, ended.stderr
        return ended

    return run


def document(said: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(said.stdout)
    return found


def test_all_is_well(house: House, look: Run) -> None:
    said = look()
    assert (said.returncode, said.stderr) == (0, "")
    assert said.stdout == ("9 entries are one history and lead to the signed root, 9 of them new; 3 streams compared\n")
    said = look("--json", "--streams")
    assert said.returncode == 0
    assert document(said) == {
        "log": f"{house.url}/log",
        "followed": True,
        "size": 9,
        "grown": 0,
        "compared": 3,
        "findings": [],
        "unanswered": [],
    }


def test_something_is_wrong(house: House, look: Run) -> None:
    look()
    house.entries[4] = entry(1, 2, "opened", "cd" * 32)
    said = look()
    assert said.returncode == 1
    assert said.stdout.startswith("wrong, FORKED: the log has two roots for its first 9 entries; both checkpoints")
    assert document(look("--json"))["findings"][0]["code"] == "FORKED"


def test_something_could_not_be_checked(house: House, look: Run) -> None:
    house.lies[f"/api/v1/matches/{match_of(1)}/record"] = (500, b"")
    said = look()
    assert said.returncode == 2
    assert f"not checked: /api/v1/matches/{match_of(1)}/record: answered 500\n" in said.stdout


def test_what_is_wrong_outweighs_what_could_not_be_checked(house: House, look: Run) -> None:
    house.lies[f"/api/v1/matches/{match_of(1)}/record"] = (500, b"")
    house.lengths[match_of(2)] = 2
    assert look().returncode == 1


def test_patience_is_counted_in_days(house: House, look: Run) -> None:
    house.entries.append(entry(7, 1, "sealed"))
    assert look().returncode == 0
    assert look("--patience", "0").returncode == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("--policy", "no/such/policy"),
        ("--patience", "-1"),
        ("--every", "0"),
        ("--every", "nan"),
        ("--folder", "{}/policy"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(look: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    said = look(*(argument.format(tmp_path) for argument in arguments))
    assert (said.returncode, said.stdout) == (3, "")
    assert said.stderr.startswith("truecup: ")
    assert said.stderr.count("\n") == 1


def files(folder: Path) -> dict[str, bytes]:
    """Return what is kept: the rows of the notebook, which has other bytes after each start, and the other files."""
    with closing(sqlite3.connect(folder / "monitor.db")) as notebook:
        rows = "\n".join(notebook.iterdump())
    kept = {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith("monitor.db")}
    return {"rows": rows.encode(), **kept}


@pytest.mark.parametrize("entries", [whole(7), [one for number in range(9) for one in whole(number)]])
def test_a_folder_of_another_log_of_the_same_name_is_refused(
    house: House, look: Run, tmp_path: Path, entries: list[bytes]
) -> None:
    look()
    before = files(tmp_path / "seen")
    house.entries, house.signer = entries, Ed25519Signer(bytes(32))
    other = tmp_path / "other"
    other.write_text(serving.policy_text(house.signer))
    said = look("--policy", str(other))
    assert (said.returncode, said.stdout) == (3, "")
    assert said.stderr == "truecup: this folder followed another log; use another folder\n"
    assert files(tmp_path / "seen") == before


def test_a_log_is_followed_while_its_key_changes(house: House, look: Run, tmp_path: Path) -> None:
    look()
    new, changing, changed = Ed25519Signer(bytes(32)), tmp_path / "changing", tmp_path / "changed"
    changing.write_text(serving.policy_text(house.signer, new))
    changed.write_text(serving.policy_text(new))
    house.second = new
    assert look("--policy", str(changing)).returncode == 0
    house.signer, house.second = new, None
    house.entries += whole(3)
    assert look("--policy", str(changing)).returncode == 0
    house.entries += whole(4)
    assert look("--policy", str(changed)).stdout.startswith("15 entries")
    del house.entries[-1]
    assert "SHRUNK" in look("--policy", str(changed)).stdout


def test_it_follows_until_it_is_told_to_stop(house: House, tmp_path: Path) -> None:
    argv = command(house, tmp_path, "--every", "0.05")
    kept = environment(tmp_path)
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=kept) as program:
        assert program.stdout is not None
        assert program.stdout.readline().startswith("9 entries")
        house.entries += whole(3)
        assert program.stdout.readline().startswith("12 entries")
        house.entries.append(entry(1, 2, "live", "cd" * 32))
        said = [program.stdout.readline() for _ in range(3)]
        assert [one.partition(":")[0] for one in said[:2]] == ["wrong, TWO_HEADS", "wrong, STREAM"]
        assert said[2].startswith("13 entries")
        program.send_signal(signal.SIGINT)
        assert program.stdout.read() == ""
        assert program.wait(PATIENCE_S) == 1
