"""A house that a test may make lie, and a monitor that watches it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from services.monitor.monitor import Monitor, MonitorLook
from services.monitor.reading import LogHouse
from services.monitor.store import MonitorStore
from tests.monitor.serving import House, policy, whole


@pytest.fixture
def house() -> Iterator[House]:
    """A house whose log has three matches, whole ones."""
    with House([one for number in range(3) for one in whole(number)]) as served:
        yield served


class Watching:
    """A monitor of a house, and its notebook."""

    def __init__(self, house: House, folder: Path) -> None:
        self.house = house
        self.folder = folder

    @asynccontextmanager
    async def monitor(self, patience_days: float, answer_s: float) -> AsyncIterator[Monitor]:
        notebook = MonitorStore(self.folder)
        try:
            async with LogHouse(self.house.url, answer_s) as reader:
                yield Monitor(reader, notebook, policy(), patience_days)
        finally:
            notebook.close()

    async def look(
        self, *, all_streams: bool = True, patience_days: float = 7, answer_s: float = 10, counts: bool = False
    ) -> MonitorLook:
        """Look once, as a program that has just started."""
        async with self.monitor(patience_days, answer_s) as monitor:
            return await monitor.look(every_stream=all_streams, counts=counts)

    def size(self) -> int:
        notebook = MonitorStore(self.folder)
        try:
            return notebook.head().size
        finally:
            notebook.close()

    async def finds(self, code: str) -> str:
        """Look once, find this and nothing else about the log, and keep nothing of what was shown."""
        before = self.size()
        look = await self.look()
        assert [one.code for one in look.findings] == [code]
        assert (look.followed, look.grown, look.unanswered) == (False, 0, [])
        assert self.size() == before
        return look.findings[0].text


@pytest.fixture
def watching(house: House, tmp_path: Path) -> Watching:
    return Watching(house, tmp_path / "seen")
