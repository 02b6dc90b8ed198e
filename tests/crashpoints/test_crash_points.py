"""kill -9 at any await that touches the outside, as a tracer finds them: nothing acknowledged is lost, or doubled."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.crashpoints import __main__ as command
from tests.crashpoints.life import ROOT
from tests.crashpoints.planted import BUGS
from tests.sizes import cases

FOUND_WITHIN = 60
"""Within how many stories a planted bug is found; most are in the first."""


def told(postgres_dsn: str, *given: str) -> tuple[int, str]:
    """Run the command on the run's Postgres, and return how it ended and what it said."""
    argv = [sys.executable, "-m", str(command.__package__), *given, "--on", postgres_dsn]
    ended = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)
    assert not ended.stderr, ended.stderr
    return ended.returncode, ended.stdout


def test_a_house_killed_at_some_points_breaks_no_promise(postgres_dsn: str) -> None:
    code, said = told(postgres_dsn, "0", str(cases(2, 40)))
    assert code == 0, said
    assert re.search(r"^[1-9]\d* kills,", said, re.MULTILINE), said


@pytest.mark.long
def test_a_house_killed_at_every_point_breaks_no_promise(postgres_dsn: str) -> None:
    code, said = told(postgres_dsn, "0", "2000", "--all", "--places")
    assert code == 0, said
    assert " kills, 0 points left" in said, said


@pytest.mark.long
@pytest.mark.parametrize("bug", sorted(BUGS))
def test_a_planted_bug_is_found(bug: str, postgres_dsn: str) -> None:
    code, said = told(postgres_dsn, "0", str(FOUND_WITHIN), "--planted", bug)
    assert code == 1, said
