"""A house for each test, and the two witnesses of its log."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.backups.houses import Showing, furnish


@pytest.fixture
def jury(tmp_path: Path) -> Iterator[Showing]:
    made = Showing(tmp_path, "w1.example", "w2.example")
    yield made
    made.close()


@pytest_asyncio.fixture
async def house(database: str, jury: Showing) -> str:
    await furnish(database, jury)
    return database
