"""Clocks of dealers, heard on the bus, and who says more than anybody should keep."""

from __future__ import annotations

import asyncio

import pytest

from infra.clock import now_ms
from infra.config import Config
from infra.handoff.clocks import ahead_ms
from infra.handoff.nats import CLOCK, DEALERS_THERE, NatsHandoff
from infra.handoff.rota import BEAT_S, MEMBERS_MAX
from services.cli.operating.checkup.bus import APART_MAX_MS, behind_bus, bus_of, dealers_clocks
from services.cli.operating.checkup.checks import CheckFinding
from tests.relay.conftest import Bus

OTHER = "0123456789abcdef"


async def _nothing(_question: bytes) -> bytes:
    return b""


@pytest.mark.parametrize(
    ("ahead", "states"),
    [
        ({}, []),
        ({"a": -3, "b": 4}, ["ok"]),
        ({"a": 0, "b": APART_MAX_MS + 1}, ["wrong"]),
        ({"a": -APART_MAX_MS, "b": 1}, ["wrong"]),
        ({"a": 5_000, "b": 5_010}, ["wrong"]),
        ({"a": -5_000}, ["wrong"]),
    ],
)
def test_clocks_that_are_more_than_a_second_apart_are_wrong(ahead: dict[str, int], states: list[str]) -> None:
    assert [one.state for one in dealers_clocks(ahead)] == states


async def _found(bus: Bus) -> CheckFinding:
    config = Config(nats_url=bus.url, roles="api")
    async with bus_of(config) as found:
        (one,) = await behind_bus(found, config)
    return one


async def test_a_dealer_whose_clock_is_another_is_found(bus: Bus) -> None:
    taking = await NatsHandoff((await bus.feed()).client).take(_nothing)
    assert (await _found(bus)).state == "ok"
    client, over = (await bus.feed()).client, asyncio.Event()

    async def beats() -> None:
        while not over.is_set():
            # A dealer of before says no time, and what says none that is one is nobody's.
            for data, clock in ((f"{OTHER} 0", str(now_ms() - 5_000)), ("00" * 8 + " 0", ""), (f"{OTHER} 0", "soon")):
                await client.publish(DEALERS_THERE, data.encode(), headers={CLOCK: clock} if clock else None)
            await asyncio.sleep(BEAT_S)

    beating = asyncio.create_task(beats())
    found = await _found(bus)
    over.set()
    await beating
    await taking.stop()
    assert found.state == "wrong"
    assert found.found.startswith("2 dealers")


async def test_of_any_number_of_names_no_more_are_kept_than_a_house_has(bus: Bus) -> None:
    client = (await bus.feed()).client
    hearing = asyncio.create_task(ahead_ms((await bus.feed()).client, 2 * BEAT_S))
    await asyncio.sleep(BEAT_S)
    for number in range(2 * MEMBERS_MAX):
        await client.publish(DEALERS_THERE, f"{number:016x} 0".encode(), headers={CLOCK: str(now_ms())})
    assert len(await hearing) == MEMBERS_MAX
