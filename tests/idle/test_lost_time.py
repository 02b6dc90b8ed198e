"""Several processes, one of which has not heard yet that it is later: the clocks that it lets begin lose nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import pytest

from domain import commands, events
from infra import clock
from infra.clock import Clock, now_ms
from services.matches.heart import STALLED_MS, Gap, Heart
from tests.idle.house import House, is_dealt

HOUR_MS = 3_600_000
BANK_MS = 30_000
GRACE_MS = 6_000
"""Enough for the time that passes by itself while a test goes on."""


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> House:
    return House(monkeypatch)


@contextmanager
def keeping(other: Clock) -> Iterator[None]:
    """Be another process, which keeps this time."""
    ours, clock.HOUSE = clock.HOUSE, other
    try:
        yield
    finally:
        clock.HOUSE = ours


def behind(ms: int) -> Clock:
    """Return the clock of a process that has not heard of a leap of so much."""
    ours = clock.HOUSE
    return Clock(lambda: ours._wall_ns() - ms * clock.MS, ours._ticks_ns)  # noqa: SLF001 - the same clocks


async def held_up(house: House) -> UUID:
    """Return a match that its host holds up, so that no clock of it runs."""
    async with house.croupier():
        match_id = await house.begun(
            "Ada", "Bob", host={"hold_ms": 30_000}, clock={"bank_ms": BANK_MS, "on_timeout": "forfeit"}
        )
        await house.until(match_id, is_dealt)
        await house.matches.submit(match_id, commands.PauseTable("break"), house.ask())
        await house.store.heartbeat(now_ms())
    return match_id


async def left_ms(house: House, match_id: UUID) -> int:
    """Return what the clock that runs has left."""
    clocks = (await house.match(match_id)).clocks
    assert clocks is not None
    assert clocks.due_at is not None
    return clocks.due_at - now_ms()


async def dealer_after_a_leap(house: House) -> Heart:
    """Return the heart of a dealer whose clock has leapt by an hour, who has given that back to all."""
    heart = house.heart()
    await heart.find_gap()
    await heart.leave_word()
    house.step(HOUR_MS)
    assert await heart.find_gap() is not None
    heart.note_given_back(heart.beginnings)
    await heart.leave_word()
    return heart


async def test_a_clock_that_another_lets_begin_at_a_time_before_a_leap_loses_nothing(house: House) -> None:
    match_id = await held_up(house)
    heart = await dealer_after_a_leap(house)
    with keeping(behind(HOUR_MS)):
        await house.program().submit(match_id, commands.ResumeTable(), house.ask())
    assert await left_ms(house, match_id) < 0
    for _ in range(2):
        await house.program(heart).load_in_time(match_id)
        assert BANK_MS - GRACE_MS < await left_ms(house, match_id) <= BANK_MS + GRACE_MS
    given = [one for one in await house.events(match_id) if isinstance(one, events.ClockSet)]
    assert len(given) == 4, "as the turn began, as it was held up, as it went on, and given back once"
    assert await house.is_whole(match_id)


async def test_whoever_acts_first_after_that_has_all_of_their_time(house: House) -> None:
    match_id = await held_up(house)
    heart = await dealer_after_a_leap(house)
    with keeping(behind(HOUR_MS)):
        await house.program().submit(match_id, commands.ResumeTable(), house.ask())
    house.matches = house.program(heart)
    await house.bid(match_id)
    clocks = (await house.match(match_id)).clocks
    assert clocks is not None
    assert all(bank > BANK_MS - GRACE_MS for bank in clocks.banks.values())


async def test_a_dealer_lets_nobody_lose_by_a_leap_of_another(house: House) -> None:
    match_id = await held_up(house)
    heart = await dealer_after_a_leap(house)
    async with house.croupier(heart):
        with keeping(behind(HOUR_MS)):
            # Nothing here waits for anything, so that the dealer keeps its own time.
            await house.program().submit(match_id, commands.ResumeTable(), house.ask())
        await house.until(match_id, lambda match: match.clocks is not None and (match.clocks.due_at or 0) > now_ms())
        await house.stays(match_id)
        house.wait(BANK_MS - GRACE_MS)
        await house.stays(match_id, 0.1)
        house.wait(2 * GRACE_MS)
        await house.until(match_id, lambda match: match.ended)
    assert await house.is_whole(match_id)


Hears = Callable[[Heart], Any]
HEARD: dict[str, Hears] = {
    "as it leaves word": lambda heart: heart.leave_word(),
    "beside another": lambda heart: heart.hear_word(),
}


@pytest.mark.parametrize("hears", HEARD.values(), ids=HEARD)
async def test_whoever_hears_of_a_later_time_gives_back_what_it_skips(house: House, hears: Hears) -> None:
    match_id = await held_up(house)
    heart = house.heart()
    await heart.find_gap()
    await house.program(heart).submit(match_id, commands.ResumeTable(), house.ask())
    await house.store.heartbeat(now_ms() + HOUR_MS)
    await hears(heart)
    assert await left_ms(house, match_id) < 0
    await house.program(heart).load_in_time(match_id)
    assert BANK_MS - GRACE_MS < await left_ms(house, match_id) <= BANK_MS + GRACE_MS


async def test_whoever_hears_it_from_a_line_gives_back_what_it_skips(house: House) -> None:
    heart = house.heart()
    await heart.find_gap()
    before = now_ms()
    heart.hear_time(before + HOUR_MS)
    assert abs(heart.lost_ms(before) - HOUR_MS) < GRACE_MS
    assert heart.lost_ms(now_ms()) == 0


async def test_clocks_that_are_never_quite_the_same_give_nothing_back(house: House) -> None:
    heart = house.heart()
    await heart.find_gap()
    before = now_ms()
    await house.store.heartbeat(before + STALLED_MS - 500)
    await heart.leave_word()
    assert now_ms() >= before + STALLED_MS - 500
    assert heart.lost_ms(before) == 0


async def test_no_time_is_lost_twice(house: House) -> None:
    await house.store.heartbeat(now_ms())
    heart, before = house.heart(), now_ms()
    for hours in (1, 2):
        house.step(HOUR_MS)
        gap = await heart.find_gap()
        assert gap is not None
        assert abs(gap.ms - hours * HOUR_MS) < GRACE_MS, "since word was left"
        assert abs(heart.lost_ms(before) - hours * HOUR_MS) < GRACE_MS
        assert heart.lost_ms(now_ms()) == 0


def test_of_a_gap_a_match_has_lost_what_came_after_its_last_line() -> None:
    gap = Gap(10_000, 20_000)
    assert [gap.lost_ms(at) for at in (0, 10_000, 15_000, 19_000, 20_000)] == [10_000, 10_000, 5_000, 0, 0]
