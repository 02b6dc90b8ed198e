"""A command that was forked, held against one that was started."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from signal import SIGKILL
from typing import Any

import pytest

from tests.cli.conftest import PROGRAM, ROOT, environment
from tests.cli.forking import ForkedCommand, run

ODDS = ("odds", "bid_holds", "quantity=5", "face=3", "seen=3,1,4,4,6", "unseen=10", "wild=true")


@pytest.mark.parametrize(
    ("arguments", "settings"),
    [
        (("--help",), {}),
        (ODDS, {}),
        ((*ODDS, "--lang", "de"), {}),
        (("audit", "no-such-record.cup"), {}),
        (("doctor",), {"TRUECUP_PORT": "many", "TRUECUP_TYPO": "x"}),
    ],
)
def test_a_forked_command_ends_and_says_as_one_that_was_started(
    shared: Callable[[str], Any], tmp_path: Path, arguments: tuple[str, ...], settings: dict[str, str]
) -> None:
    around = environment(tmp_path, **settings)
    begun = subprocess.run(
        [*PROGRAM, *arguments], input="", capture_output=True, text=True, cwd=ROOT, env=around, check=False
    )
    forked = run(shared("forker")["address"], arguments, around, None, 60)
    assert (forked.returncode, forked.stdout, forked.stderr) == (begun.returncode, begun.stdout, begun.stderr)


def test_a_forked_command_that_takes_too_long_is_killed(shared: Callable[[str], Any], tmp_path: Path) -> None:
    address, around = shared("forker")["address"], environment(tmp_path)
    waits = ["witness", "--listen", "127.0.0.1:0", "--folder", str(tmp_path / "witness"), "--name", "witness.example/w"]
    with pytest.raises(subprocess.TimeoutExpired):
        run(address, waits, around, None, 0.5)


def test_a_forked_command_is_talked_to_while_it_runs_and_may_be_killed(
    shared: Callable[[str], Any], tmp_path: Path
) -> None:
    address, around = shared("forker")["address"], environment(tmp_path)
    engine, killed = (ForkedCommand(address, ["engine", "L0"], around) for _ in range(2))
    engine.stdin.write('{"type":"nonsense"}\n')
    engine.stdin.close()
    assert engine.wait(60) >= 0
    killed.kill()
    assert killed.wait(60) == -SIGKILL
    killed.kill()
    for each in (engine, killed):
        each.stdin.close()
        each.stdout.close()
