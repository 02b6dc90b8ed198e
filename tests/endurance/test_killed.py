"""Seven tables in play, and whatever they stand on killed again and again: nothing acknowledged is lost or doubled.

Every repeat gets the same bytes, every stream has each version once, and every record is fair.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from shutil import rmtree

import pytest

from services.local.servers import LocalServers
from tests.crash.house import Service, Table
from tests.crash.killing import kill_bus, kill_database
from tests.endurance.playing import Hall

pytestmark = pytest.mark.long

Kill = Callable[[], Awaitable[None]]
BETWEEN = 10
"""Commands that are acknowledged between two kills at least: whatever is killed is killed in play."""


async def played_through(service: Service, kill: Kill, times: int) -> None:
    """Kill something so many times while people play, and check everything they were told."""
    hall, moments = Hall(service), random.Random(times)
    playing = [asyncio.wrap_future(table) for table in hall.open()]
    try:
        for _ in range(times):
            await hall.go_on(BETWEEN)
            await asyncio.sleep(moments.uniform(0.0, 1.0))
            await kill()
    finally:
        hall.close()
        await asyncio.wait(playing)
    tables: list[Table] = [table for played in await asyncio.gather(*playing) for table in played]
    assert await asyncio.to_thread(hall.check, tables) >= times * BETWEEN


async def test_the_whole_house_is_killed_twenty_times(tmp_path: Path) -> None:
    """The database, the bus and both witnesses are its children, and die with it."""
    house = Up(tmp_path)
    house.start()
    try:

        async def kill() -> None:
            house.kill()
            await asyncio.to_thread(house.start)

        await played_through(house, kill, 20)
    finally:
        house.stop()


class Up(Service):
    """`truecup up`, with all it starts by itself."""

    def __init__(self, folder: Path) -> None:
        super().__init__("", "", folder)
        for name in ("TRUECUP_DATABASE_URL", "TRUECUP_NATS_URL"):
            del self._given[name]

    def start(self, *_how: str) -> None:
        super().start("up", "--no-demo")


async def test_the_database_is_killed_ten_times(mortal: LocalServers, service_of_mortals: Service) -> None:
    async def kill() -> None:
        await kill_database(mortal)

    await played_through(service_of_mortals, kill, 10)


@pytest.mark.parametrize(("wiped", "times"), [(False, 10), (True, 6)])
async def test_the_bus_is_killed_and_its_store_wiped(
    mortal: LocalServers, service_of_mortals: Service, tmp_path: Path, *, wiped: bool, times: int
) -> None:
    async def kill() -> None:
        await kill_bus(mortal)
        if wiped:
            rmtree(tmp_path / "servers" / "nats" / "jetstream", ignore_errors=True)

    await played_through(service_of_mortals, kill, times)
