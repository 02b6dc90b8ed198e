"""Tables that start at a time: by the scheduler, by the usher after a restart, and not an hour late for a night off."""

from __future__ import annotations

import asyncio
from uuid import UUID

import pytest

from domain import commands, events
from domain.match.dues import due_at, waits_since
from domain.match.evolve import Match
from infra.clock import now_ms
from services.dealer import scheduler, usher
from tests.idle.house import House, is_dealt, is_over

HOUR_MS = 3_600_000
LISTED = 64
"""Tables that start at one time: many times as many as start at once."""


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> House:
    return House(monkeypatch)


async def seated(house: House, *names: str) -> UUID:
    """Return a table that starts in an hour, with these people at it."""
    match_id = await house.opened(starts_at=now_ms() + HOUR_MS)
    for name in names:
        await house.matches.join(match_id, name, "server", house.ask())
    return match_id


async def test_the_scheduler_starts_a_table_at_its_time(house: House) -> None:
    async with house.croupier():
        match_id, alone = await seated(house, "Ada", "Ben"), await seated(house, "Cem")
        house.wait(HOUR_MS - 60_000)
        await house.stays(match_id, 0.1)
        house.wait(60_000)
        await house.until(match_id, is_dealt)
        await house.until(alone, is_over)
    assert (await house.events(alone))[-2:] == [events.EndAsked("expired"), events.MatchEnded(None)]


async def test_the_usher_starts_a_table_of_before_and_keeps_it_until_then(house: House) -> None:
    match_id, alone = await seated(house, "Ada", "Ben"), await seated(house, "Cem")
    await house.register()
    async with house.usher():
        house.wait(HOUR_MS - 2_000)
        await house.stays(match_id, 0.2)
        await house.stays(alone, 0.0)
        house.wait(2_000)
        await house.until(match_id, lambda match: match.table is not None)
        await house.until(alone, is_over)


async def test_whoever_plays_waits_for_no_list_of_tables_that_start_at_one_time(house: House) -> None:
    async with house.croupier():
        listed = [await seated(house, "Ada", "Ben") for _ in range(LISTED)]
        house.wait(HOUR_MS)
        await house.until(listed[0], has_started)
        other = await house.begun("Cem", "Dot")
        before = await started(house, listed)
        await house.until(other, lambda match: match.ceremony is not None)
        assert await started(house, listed) <= before + 3 * scheduler.STARTS_AT_ONCE < LISTED
        for match_id in listed:
            await house.until(match_id, has_started)


async def test_the_usher_starts_some_tables_at_each_look(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = [await seated(house, "Ada", "Ben") for _ in range(LISTED)]
    await house.register()
    monkeypatch.setattr(usher, "LOOK_S", 0.6)
    async with house.usher():
        house.wait(HOUR_MS)
        before, now = 0, 0
        while now == 0 or now > before:
            await asyncio.sleep(0.2)
            before, now = now, await started(house, listed)
        assert now < LISTED
        for match_id in listed:
            await house.until(match_id, has_started)


def has_started(match: Match) -> bool:
    return match.table is not None


async def started(house: House, listed: list[UUID]) -> int:
    return sum([has_started(await house.match(match_id)) for match_id in listed])


async def test_a_house_that_was_down_meanwhile_starts_nothing_later_for_it(house: House) -> None:
    match = await house.match(await seated(house, "Ada", "Ben"))
    assert (due_at(match), waits_since(match)) == (match.settings.starts_at, None)


async def test_the_next_table_of_the_same_people_does_not_wait_for_a_time_that_is_over(house: House) -> None:
    match_id = await seated(house, "Ada", "Ben")
    await house.matches.start(match_id, house.ask())
    await house.matches.submit(match_id, commands.LogDeal(0, 0, (), "a checkpoint"), house.ask())
    await house.matches.submit(match_id, commands.Forfeit(1), house.ask())
    host = await house.matches.rematch(match_id, house.ask())
    assert (await house.match(match_id)).ended
    assert (await house.match(UUID(host.match))).settings.starts_at is None
