"""The real service on a clock that leaps by an hour, ahead and back, while people and bots play against the clock."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from time import time
from typing import Any

import httpx
import pytest

from infra.store.postgres import open_store
from tests.crash.conftest import Lasting
from tests.crash.house import START_S, Service, Table
from tests.crash.test_killed import assert_kept

LEAPING = Path(__file__).with_name("leaping.py")
HOUR_MS = 3_600_000
RULES: dict[str, Any] = {
    "options": {"dice_per_player": 3},
    "seats": 3,
    "clock": {"bank_ms": 120_000, "on_timeout": "forfeit"},
}
"""Time enough for any machine, and far less than an hour."""


class Leaping(Service):
    """A service whose wall clock a test sets."""

    def set_ahead(self, ms: int) -> None:
        """Let the clock of the wall be ahead of the machine's by so much."""
        new = self.folder / "ahead.new"
        new.write_text(str(ms))
        new.replace(self.folder / "ahead")


@pytest.fixture
def leaping(lasting: Lasting, tmp_path: Path) -> Iterator[Leaping]:
    (tmp_path / "service").mkdir()
    service = Leaping(lasting.database_url, lasting.nats_url, tmp_path / "service", str(LEAPING))
    service.set_ahead(0)
    service.start()
    yield service
    service.stop()


def happened(table: Table) -> set[str]:
    """Return the types of all that is in the record."""
    with table.service.client() as client:
        lines = table.record(client).splitlines()
    return {json.loads(line)["type"] for line in lines if line.startswith(b"{")}


async def leap(service: Leaping) -> None:
    """Set the clock ahead and back, and ahead for good, while the tables are played."""
    for ahead_ms in (HOUR_MS, -HOUR_MS, 2 * HOUR_MS):
        await asyncio.sleep(0.7)
        service.set_ahead(ahead_ms)


@pytest.mark.long
async def test_nobody_is_out_of_time_and_nobody_stands_still_when_the_clock_leaps(
    lasting: Lasting, leaping: Leaping
) -> None:
    """Nor where a service starts again an hour behind what it has said."""
    tables = [await asyncio.to_thread(Table, leaping, RULES, seed) for seed in (1, 2, 3)]
    await asyncio.gather(leap(leaping), *(asyncio.to_thread(table.finish) for table in tables))
    for table in tables:
        await asyncio.to_thread(assert_kept, table)
        assert not happened(table) & {"game.timed_out", "game.absent"}
    await assert_goes_on_an_hour_behind(lasting, leaping)


async def until_word_is_left(lasting: Lasting) -> None:
    """Wait until the service, which is two hours ahead, has told the store what time it is."""
    store = await open_store(lasting.database_url, "truecup_dealer")
    async with asyncio.timeout(START_S):
        while (words := await store.last_words()) is None or words.last < time() * 1_000 + 3 * HOUR_MS / 2:
            await asyncio.sleep(0.1)
    await store.close()


async def assert_goes_on_an_hour_behind(lasting: Lasting, leaping: Leaping) -> None:
    """Kill a service that is two hours ahead, and start it one hour ahead."""
    table = await asyncio.to_thread(Table, leaping, {**RULES, "clock": None, "pause_ms": 500})
    await until_word_is_left(lasting)
    leaping.kill()
    leaping.set_ahead(HOUR_MS)
    await asyncio.to_thread(leaping.start)
    await asyncio.to_thread(table.finish)
    await asyncio.to_thread(assert_kept, table)
    told = (await asyncio.to_thread(httpx.get, f"{leaping.url}/health/ready", timeout=60)).json()
    assert told["status"] == "ready"
    assert told["reasons"]["clock"].startswith("this machine's clock is 3")
