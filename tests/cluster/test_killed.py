"""Each node of a cluster killed in turn while matches are played and watched: play goes on, and nothing is lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from tests.cluster.bus import BusCluster
from tests.cluster.house import ROLES, House, opened
from tests.endurance.playing import Hall
from tests.handoff.nodes import logins
from tests.hosting import TEMPLATE, a_database

pytestmark = pytest.mark.long

PLAYED_S = 6.0
"""How long is played after a node is killed, and after it is back; and after a server of the bus is, until all agree on
who leads."""
PLAYED = 50
"""Commands that are acknowledged in each of those times at least."""
WAITS_S = 3.0
"""How much longer than without a kill a command waits at most, which a client repeats at another node."""


@pytest_asyncio.fixture
async def house(buses: BusCluster, postgres_dsn: str, tmp_path: Path) -> AsyncIterator[House]:
    async with a_database(postgres_dsn, TEMPLATE) as database, logins(database, ROLES) as databases:
        lent = opened(tmp_path, databases, buses.url)
        yield await asyncio.to_thread(lent.__enter__)
        await asyncio.to_thread(lent.__exit__, None, None, None)


async def test_each_node_is_killed_and_play_goes_on(
    house: House, buses: BusCluster, record_property: Callable[[str, object], None]
) -> None:
    hall, longest = Hall(house), dict[str, float]()
    playing = [asyncio.wrap_future(table) for table in hall.open()]
    try:
        await go_on(hall, PLAYED_S)
        longest["nobody"] = house.waits.longest()
        for name in ROLES:
            house.kill(name)
            await go_on(hall, PLAYED_S)
            await asyncio.to_thread(house.again, name)
            longest[name] = house.waits.longest()
        for server in buses.servers:
            server.kill()
            await go_on(hall, 2 * PLAYED_S)
            await server.start()
            await buses.until_kept()
            longest[server.name] = house.waits.longest()
    finally:
        hall.close()
        await asyncio.wait(playing)
    tables = [table for played in await asyncio.gather(*playing) for table in played]
    assert await asyncio.to_thread(hall.check, tables) >= len(longest) * PLAYED
    for name, wait_s in longest.items():
        record_property(name, wait_s)
    assert {name: wait_s for name, wait_s in longest.items() if wait_s > longest["nobody"] + WAITS_S} == {}


async def go_on(hall: Hall, at_least_s: float) -> None:
    """Let people play so long, and as long as they have had few answers."""
    async with asyncio.TaskGroup() as both:
        both.create_task(hall.go_on(PLAYED))
        both.create_task(asyncio.sleep(at_least_s))
