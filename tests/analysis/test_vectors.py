"""Every case of every vector file, by what its file is about; a file that nobody knows fails.

A kind is a module of `tests.analysis.kinds` with the name of the file. Its `check(table, case)` gets the whole file,
for the tables that stand beside its cases, and the case; that of `records` gets the path of what must be found.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

KINDS = "tests.analysis.kinds"


def test_an_analysis_gives_what_the_case_says(case: tuple[str, dict[str, Any] | Path, dict[str, Any] | None]) -> None:
    kind, table, found = case
    if find_spec(f"{KINDS}.{kind}") is None:
        pytest.fail(f"nobody knows what a case of {kind} says")
    import_module(f"{KINDS}.{kind}").check(table, found)
