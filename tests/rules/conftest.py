"""`pytest tests/rules --vectors DIR` runs every vector file of a folder, of whichever game."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

HERE = Path(__file__).parent / "vectors"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "vector" not in metafunc.fixturenames:
        return
    folder = Path(metafunc.config.getoption("--vectors") or HERE)
    files = sorted(folder.glob("*.json"))
    if not files:
        raise pytest.UsageError(f"there are no vector files in {folder}")
    found = [
        pytest.param(
            {**vector, "game": vector["setup"].get("game", document["game"])}, id=f"{file.stem}-{vector['id']}"
        )
        for file in files
        for document in [json.loads(file.read_text(encoding="utf-8"))]
        for vector in document["vectors"]
    ]
    metafunc.parametrize("vector", found)
