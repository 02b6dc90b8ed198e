"""`pytest tests/tournaments --vectors DIR` runs every vector file of a folder, of whichever law."""

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
    if not files:
        raise pytest.UsageError(f"there are no vector files in {folder}")
    found = [
        pytest.param((file.stem, case), id=case["id"])
        for file in files
        for case in json.loads(file.read_text(encoding="utf-8"))["cases"]
    ]
    metafunc.parametrize("case", found)
