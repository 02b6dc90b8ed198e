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
from tests.relay.playing import running

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


async def _comes_to(bus: Bus, state: str, begins: str) -> None:
    """See that this is found. On a slow machine a dealer is not heard, or heard late, now and then."""
    config, told = Config(nats_url=bus.url, roles="api"), list[CheckFinding]()
    async with asyncio.timeout(60), bus_of(config) as found:
        while not (told and told[0].state == state and told[0].found.startswith(begins)):
            told = await behind_bus(found, config)
    assert len(told) == 1


async def test_a_dealer_whose_clock_is_another_is_found(bus: Bus) -> None:
    taking = await NatsHandoff((await bus.feed()).client).take(_nothing)
    await _comes_to(bus, "ok", "1 dealers")
    client, over = (await bus.feed()).client, asyncio.Event()

    async def beats() -> None:
        while not over.is_set():
            # A dealer of before says no time, and what says none that is one is nobody's.
            for data, clock in ((f"{OTHER} 0", str(now_ms() - 5_000)), ("00" * 8 + " 0", ""), (f"{OTHER} 0", "soon")):
                await client.publish(DEALERS_THERE, data.encode(), headers={CLOCK: clock} if clock else None)
            await asyncio.sleep(BEAT_S)

    beating = asyncio.create_task(beats())
    await _comes_to(bus, "wrong", "2 dealers")
    over.set()
    await beating
    await taking.stop()


async def test_of_any_number_of_names_no_more_are_kept_than_a_house_has(bus: Bus) -> None:
    client, heard = (await bus.feed()).client, dict[str, int]()

    async def crowd() -> None:
        while True:
            for number in range(2 * MEMBERS_MAX):
                await client.publish(DEALERS_THERE, f"{number:016x} 0".encode(), headers={CLOCK: str(now_ms())})
            await asyncio.sleep(BEAT_S)

    hearing = (await bus.feed()).client
    async with asyncio.timeout(60), running(crowd()):
        while len(heard) < MEMBERS_MAX:
            heard = await ahead_ms(hearing, 2 * BEAT_S)
    assert len(heard) == MEMBERS_MAX
