"""`pytest tests/analysis --vectors DIR` runs every vector file of a folder, and the records below it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "vectors"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" not in metafunc.fixturenames:
        return
    folder = Path(metafunc.config.getoption("--vectors") or HERE)
    files = sorted(folder.glob("*.json"))
    records = sorted(folder.glob("records/*.json"))
    if not files and not records:
        raise pytest.UsageError(f"there are no vector files in {folder}")
    found = [pytest.param(("records", file, None), id=f"record-{file.stem}") for file in records]
    for file in files:
        table = json.loads(file.read_text(encoding="utf-8"))
        found += [pytest.param((file.stem, table, case), id=case["id"]) for case in table["cases"]]
    metafunc.parametrize("case", found)
