"""The list of what held names files of tests that are there, and every file of this folder."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
LIST = HERE / "README.md"


def named() -> set[Path]:
    """Return the files that the last column of the list names."""
    rows = [line.split("|") for line in LIST.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    files = [name for row in rows[1:] for name in re.findall(r"`([\w/]+\.py)`", row[3])]
    return {HERE.parents[1] / name if "/" in name else HERE / name for name in files}


def test_every_file_that_is_named_has_tests() -> None:
    tests = re.compile(r"^(?:async )?def test_", re.MULTILINE)
    assert [path for path in sorted(named()) if not tests.search(path.read_text(encoding="utf-8"))] == []


def test_every_file_of_this_folder_is_named() -> None:
    assert {*HERE.glob("test_*.py")} - named() == {Path(__file__)}
