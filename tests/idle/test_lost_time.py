"""Several processes, one of which has not heard yet that it is later: the clocks that it lets begin lose nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID, uuid4

import pytest

from domain import commands, events
from infra import clock
from infra.clock import Clock, now_ms
from infra.store import Unavailable, WordsLeft
from services.matches.heart import STALLED_MS, Gap, Heart
from services.matches.reads.queries import CachedMatch
from services.matches.requests import CommandMetadata
from tests.domain.test_rounds_and_stacks import EVENT
from tests.idle.house import RULES, House, is_dealt

HOUR_MS = 3_600_000
BANK_MS = 30_000
CLOCK = {"bank_ms": BANK_MS, "on_timeout": "forfeit"}
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


def ahead(ms: int) -> Clock:
    """Return the clock of a process that is so much ahead."""
    return behind(-ms)


async def in_turn(house: House) -> UUID:
    """Return a match in which a clock runs, and whose dealer is no more."""
    async with house.croupier():
        match_id = await house.begun("Ada", "Bob", clock=CLOCK)
        await house.until(match_id, is_dealt)
        await house.store.heartbeat(now_ms())
    return match_id


async def held_up(house: House) -> UUID:
    """Return a match that its host holds up, so that no clock of it runs."""
    async with house.croupier():
        match_id = await house.begun("Ada", "Bob", host={"hold_ms": 30_000}, clock=CLOCK)
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


async def test_a_clock_begins_when_it_is_for_others_and_not_with_their_last_line(house: House) -> None:
    match_id = await in_turn(house)
    unheard = house.heart()
    await unheard.find_gap()
    heart = await dealer_after_a_leap(house)
    await house.program(heart).load_in_time(match_id)
    house.wait(BANK_MS // 2)
    heart.beat()
    await heart.leave_word()
    with keeping(behind(HOUR_MS)):
        unheard.beat()
        house.matches = house.program(unheard)
        await house.bid(match_id)
    assert BANK_MS - GRACE_MS < await left_ms(house, match_id) <= BANK_MS
    clocks = (await house.match(match_id)).clocks
    assert clocks is not None
    assert BANK_MS // 2 - GRACE_MS < min(clocks.banks.values()) <= BANK_MS // 2, "whoever was slow has paid for it"


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


async def begins_again(house: House, heart: Heart) -> None:
    """Have the store say nothing once."""

    async def away(at: int, since: int = 0) -> WordsLeft:
        raise Unavailable(f"not at {at}, nor since {since}")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(house.store, "heartbeat", away)
        await heart.leave_word()
    assert heart.has_missed()


async def leaps(house: House) -> None:
    house.step(HOUR_MS)


Hears = Callable[[House, Heart], Any]
HEARD: dict[str, Hears] = {
    "as it leaves word": lambda _house, heart: heart.leave_word(),
    "beside another": lambda _house, heart: heart.hear_word(),
    "as it begins again": begins_again,
    "as its clock leaps too": lambda house, _heart: leaps(house),
}


@pytest.mark.parametrize("hears", HEARD.values(), ids=HEARD)
async def test_whoever_hears_of_a_leap_gives_back_what_another_process_has_found(house: House, hears: Hears) -> None:
    match_id = await held_up(house)
    heart = house.heart()
    await heart.find_gap()
    await house.program(heart).submit(match_id, commands.ResumeTable(), house.ask())
    later = now_ms() + HOUR_MS
    await house.store.heartbeat(later, later)
    await hears(house, heart)
    await house.program(heart).load_in_time(match_id)
    assert BANK_MS - GRACE_MS < await left_ms(house, match_id) <= BANK_MS + GRACE_MS


@pytest.mark.parametrize("then", ["goes on", "dies", "is away before it begins"])
async def test_a_leap_that_is_heard_from_a_line_takes_nobodys_time(house: House, then: str) -> None:
    match_id = await in_turn(house)
    heart = house.heart()
    await heart.find_gap()
    if then == "is away before it begins":
        house.step(HOUR_MS // 2)
        heart.hear_time(now_ms() + HOUR_MS // 2)
    else:
        heart.hear_time(now_ms() + HOUR_MS)
    await heart.leave_word()
    if then == "dies":
        house.forget_time()
        with keeping(ahead(HOUR_MS)):
            heart = house.heart()
    await house.program(heart).load_in_time(match_id)
    assert BANK_MS - GRACE_MS < await left_ms(house, match_id) <= BANK_MS + GRACE_MS


async def test_a_dealer_that_dies_as_soon_as_it_has_left_word_takes_nobodys_time(house: House) -> None:
    match_id = await in_turn(house)
    await dealer_after_a_leap(house)
    house.forget_time()
    async with house.croupier():
        await house.until(match_id, lambda match: match.clocks is not None and (match.clocks.due_at or 0) > now_ms())
    assert BANK_MS - GRACE_MS < await left_ms(house, match_id) <= BANK_MS + GRACE_MS


async def test_time_in_which_another_dealer_was_there_is_not_given_back(house: House) -> None:
    match_id = await in_turn(house)
    heart = house.heart()
    await heart.find_gap()
    with keeping(ahead(BANK_MS // 2)):
        await house.store.heartbeat(now_ms())
        before = await left_ms(house, match_id)
    await heart.leave_word()
    await house.program(heart).load_in_time(match_id)
    assert await left_ms(house, match_id) < before + 1_000


async def test_a_process_that_finds_a_gap_again_after_its_dealer_left_word_gives_nothing_more(house: House) -> None:
    match_id = await in_turn(house)
    beside, dealer = house.heart(), await dealer_after_a_leap(house)
    await house.program(dealer).load_in_time(match_id)
    house.wait(1_000)
    before = await left_ms(house, match_id)
    await house.program(beside).load_in_time(match_id)
    assert await left_ms(house, match_id) < before + 1_000


async def test_a_clock_that_leaps_while_a_command_is_decided_takes_nobodys_time(house: House) -> None:
    match_id = await in_turn(house)
    heart = house.heart()
    program = house.matches = house.program(heart)
    await heart.find_gap()
    seat, there = await house.seat_in_turn(match_id), program._cached_or_loaded  # noqa: SLF001 - the last that it reads

    async def leaping(name: UUID) -> CachedMatch:
        if heart.gap is None:
            house.step(HOUR_MS)
        return await there(name)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(program, "_cached_or_loaded", leaping)
        await house.bid(match_id)
    clocks = (await house.match(match_id)).clocks
    assert clocks is not None
    assert clocks.banks[seat] > BANK_MS - GRACE_MS


async def test_many_at_once_give_it_back_once(house: House) -> None:
    match_id = await in_turn(house)
    house.step(HOUR_MS)
    programs = [house.program(house.heart()) for _ in range(4)]
    bid = programs[0].submit(match_id, commands.Bid(await house.seat_in_turn(match_id), 1, 2), house.ask())
    await asyncio.gather(bid, *(program.load_in_time(match_id) for program in programs * 2))
    given = [one for one in await house.events(match_id) if isinstance(one, events.ClockSet)]
    assert len(given) == 4, "as the turn began, given back, as it ended, and as the next began"
    assert await house.is_whole(match_id)


async def test_a_match_that_was_stopped_in_the_middle_of_a_turn_is_given_nothing(house: House) -> None:
    match_id = uuid4()
    rules = {**RULES, "seats": 2, "host": None, "event": EVENT, "clock": CLOCK}
    async with house.croupier():
        await house.matches.open_table(match_id, rules, [("ada", "server"), ("bob", "server")])
        for seat in (1, 2):
            await house.matches.submit(match_id, commands.SayReady(seat), house.ask())
        await house.until(match_id, is_dealt)
        await house.store.heartbeat(now_ms())
    await house.matches.submit(match_id, commands.StopMatch(3), CommandMetadata("tournament", "stop", b""))
    house.step(HOUR_MS)
    before = (await house.match(match_id)).version
    hosted = await house.program(house.heart()).load_in_time(match_id)
    assert hosted.match.ended
    assert hosted.version == before


async def test_clocks_that_are_never_quite_the_same_give_nothing_back(house: House) -> None:
    heart = house.heart()
    await heart.find_gap()
    before = now_ms()
    await house.store.heartbeat(before + STALLED_MS - 500)
    await heart.leave_word()
    assert await heart.find_gap() is None
    assert now_ms() >= before + STALLED_MS - 500
    assert heart.lost_ms(before) == 0


async def test_no_time_is_lost_twice(house: House) -> None:
    await house.store.heartbeat(now_ms())
    heart, before = house.heart(), now_ms()
    for hours in range(1, 100):
        house.step(HOUR_MS)
        gap = await heart.find_gap()
        assert gap is not None
        assert abs(gap.ms - hours * HOUR_MS) < GRACE_MS, "since word was left"
        assert abs(heart.lost_ms(before) - hours * HOUR_MS) < GRACE_MS
        assert heart.lost_ms(now_ms()) == 0


async def test_a_clock_that_is_a_year_wrong_takes_and_gives_nobody_else_anything(house: House) -> None:
    match_id = await in_turn(house)
    with keeping(ahead(365 * 24 * HOUR_MS)):
        assert await house.heart().find_gap() is not None
    for _ in range(2):
        house.wait(1_000)
        heart, before = house.heart(), await left_ms(house, match_id)
        await house.program(heart).load_in_time(match_id)
        assert before - 1_000 < await left_ms(house, match_id) < before + 1_000
    words = await house.store.last_words()
    assert words is not None
    assert words.gaps == ()


async def test_whoever_takes_commands_gives_back_what_its_dealer_has_just_found(house: House) -> None:
    match_id = await in_turn(house)
    beside = Heart(house.store, keeps=False)
    await beside.find_gap()
    house.wait(BANK_MS * 2)
    beside.beat()
    assert await house.heart().find_gap() is not None, "a dealer is there again, and has not looked at this match yet"
    await beside.hear_word()
    house.matches = house.program(beside)
    seat = await house.seat_in_turn(match_id)
    await house.bid(match_id)
    clocks = (await house.match(match_id)).clocks
    assert clocks is not None
    assert clocks.banks[seat] > BANK_MS - GRACE_MS


def test_of_a_gap_a_match_has_lost_what_came_after_its_last_line() -> None:
    gap = Gap(10_000, 20_000)
    assert [gap.lost_ms(at) for at in (0, 10_000, 15_000, 19_000, 20_000)] == [10_000, 10_000, 5_000, 0, 0]
