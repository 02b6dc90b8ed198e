"""Every case of every vector file, by what its file is about; a file that nobody knows fails.

A kind is a module of `tests.analysis.kinds` with the name of the file. Its `check(table, case)` gets the whole file,
for the tables that stand beside its cases, and the case; that of `records` gets the path of what must be found.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any, Final

import pytest

from tests.analysis.kinds import (
    accuracy,
    chances,
    decisions,
    engine_lines,
    labels,
    level1,
    level2,
    luck,
    match_tables,
    moments,
    posteriors,
    records,
    rounds,
    tablebase,
    trust,
    values,
)

KINDS: Final[dict[str, ModuleType]] = {
    module.__name__.rpartition(".")[2]: module
    for module in (
        accuracy,
        chances,
        decisions,
        engine_lines,
        labels,
        level1,
        level2,
        luck,
        match_tables,
        moments,
        posteriors,
        records,
        rounds,
        tablebase,
        trust,
        values,
    )
}


def test_an_analysis_gives_what_the_case_says(case: tuple[str, dict[str, Any] | Path, dict[str, Any] | None]) -> None:
    kind, table, found = case
    if kind not in KINDS:
        pytest.fail(f"nobody knows what a case of {kind} says")
    KINDS[kind].check(table, found)
