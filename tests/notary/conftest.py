"""Two real witnesses for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.notary.jury import Jury


@pytest.fixture
def jury(tmp_path: Path) -> Iterator[Jury]:
    made = Jury(tmp_path, "w1.example", "w2.example")
    yield made
    made.close()
