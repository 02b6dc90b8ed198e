"""Sets of processes, each on a database of its own and a bus of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.crash.conftest import Lasting, lasting
from tests.crash.house import Service

__all__ = ["lasting"]


@pytest.fixture
def house(lasting: Lasting, tmp_path: Path) -> Iterator[Callable[..., Service]]:
    """Return what starts `truecup serve` in two processes that answer and one beside them, or as many as are asked."""
    with ExitStack() as stack:

        def start(processes: int = 2, **settings: str) -> Service:
            folder = tmp_path / "service"
            folder.mkdir(exist_ok=True)
            one = Service(lasting.database_url, lasting.nats_url, folder, processes=str(processes), **settings)
            stack.callback(one.kill)
            one.start()
            return one

        yield start
