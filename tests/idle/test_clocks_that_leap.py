"""A clock on the wall that leaps, ahead, as when a laptop wakes, or back: nobody pays for it, and nothing waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from domain import commands, events
from domain.match.absence import SEED_FREE_MS
from domain.match.ceremony import CEREMONY_MS
from domain.match.evolve import Match
from infra.clock import now_ms
from infra.store import MISSED_MS, Unavailable, WordsLeft
from infra.store.memory import MemoryStore
from services.matches.heart import STALLED_MS
from tests.idle.house import IDLE, House, is_dealt, is_over

HOUR_MS = 3_600_000
BANK_MS = 30_000
CLOCK = {"bank_ms": BANK_MS, "on_timeout": "forfeit"}


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> House:
    return House(monkeypatch)


# ---- tables in every phase ----------------------------------------------------------------------


async def in_lobby(house: House) -> UUID:
    match_id = await house.opened()
    await house.matches.join(match_id, "Ada", "server", house.ask())
    return match_id


async def in_a_deal(house: House) -> UUID:
    """Return a match that waits for the commitment of a seat that keeps its own seed."""
    match_id = await house.opened(seats=2)
    for name in ("Ada", "Bob"):
        await house.matches.join(match_id, name, "client", house.ask())
    await house.matches.start(match_id, house.ask())
    await house.until(match_id, lambda match: match.ceremony is not None and match.ceremony.stage == "committed")
    return match_id


async def in_turn(house: House) -> UUID:
    match_id = await house.begun("Ada", "Bob")
    await house.until(match_id, is_dealt)
    return match_id


async def in_time(house: House) -> UUID:
    """Return a match in which a clock runs."""
    match_id = await house.begun("Ada", "Bob", clock=CLOCK)
    await house.until(match_id, is_dealt)
    return match_id


async def between_rounds(house: House) -> UUID:
    """Return a match whose round is over, and that goes on after its pause."""
    match_id = await house.begun("Ada", "Bob", pause_ms=10_000, options={"dice_per_player": 2})
    await house.until(match_id, is_dealt)
    await house.bid(match_id)
    await house.challenge(match_id)
    return match_id


def is_absent(match: Match) -> bool:
    return match.absence is not None and bool(match.absence.turns)


def is_out_of_time(match: Match) -> bool:
    return match.ended


def has_seeds_of_the_house(match: Match) -> bool:
    return match.table is not None and (match.ceremony is None or match.ceremony.stage != "committed")


def goes_on(match: Match) -> bool:
    return match.table is not None and match.table.round_number == 2 and is_dealt(match)


Phase = tuple[Callable[[House], Any], int, Callable[[Match], bool]]
PHASES: dict[str, Phase] = {
    "lobby": (in_lobby, 90_000, is_over),
    "deal": (in_a_deal, SEED_FREE_MS + IDLE["seeds_ms"], has_seeds_of_the_house),
    "turn": (in_turn, 60_000, is_absent),
    "clock": (in_time, BANK_MS, is_out_of_time),
    "pause": (between_rounds, 10_000, goes_on),
}
"""How a table comes into a phase, how long it stays in it while nobody does anything, and what is so after that."""
GRACE_MS = 6_000
"""Enough for the time that passes by itself while a test looks on, and for a clock that goes slower."""


@pytest.mark.parametrize("phase", ["deal", "turn", "clock"])
async def test_a_leap_ahead_takes_nobodys_time(house: House, phase: str) -> None:
    begin, lasts_ms, is_after = PHASES[phase]
    async with house.croupier():
        match_id = await begin(house)
        house.step(HOUR_MS)
        if phase == "clock":
            await house.until(match_id, has_time)
        await house.stays(match_id)
        house.wait(lasts_ms - GRACE_MS)
        await house.stays(match_id, 0.1)
        house.wait(2 * GRACE_MS)
        await house.until(match_id, is_after)
    assert await house.is_whole(match_id)


async def test_a_leap_ahead_takes_no_lobbys_time(house: House) -> None:
    match_id = await house.opened()
    await house.register()
    heart = house.heart()
    async with house.croupier(heart), house.usher(heart):
        house.step(HOUR_MS)
        await house.stays(match_id)
        house.wait(80_000)
        await house.stays(match_id, 0.1)
        house.wait(20_000)
        await house.until(match_id, is_over)


@pytest.mark.parametrize("phase", PHASES)
async def test_a_leap_back_makes_nobody_wait(house: House, phase: str) -> None:
    begin, lasts_ms, is_after = PHASES[phase]
    async with house.croupier():
        match_id = await begin(house)
        house.step(-HOUR_MS)
        house.wait(lasts_ms - GRACE_MS)
        await house.stays(match_id, 0.1)
        house.wait(2 * GRACE_MS)
        await house.until(match_id, is_after)
    assert await house.is_whole(match_id)


@pytest.mark.parametrize("phase", [name for name in PHASES if name != "lobby"])
async def test_a_house_begun_again_on_a_clock_that_is_behind_goes_on_from_what_was_said(
    house: House, phase: str
) -> None:
    begin, lasts_ms, is_after = PHASES[phase]
    async with house.croupier():
        match_id = await begin(house)
        await house.store.heartbeat(now_ms())
    house.step(-HOUR_MS)
    house.forget_time()
    async with house.croupier():
        house.wait(lasts_ms + GRACE_MS)
        await house.until(match_id, is_after)
    assert await house.is_whole(match_id)


@pytest.mark.parametrize("phase", ["deal", "turn"])
async def test_a_house_begun_again_once_a_leap_was_put_right_takes_nobodys_time(house: House, phase: str) -> None:
    begin, lasts_ms, is_after = PHASES[phase]
    async with house.croupier():
        match_id = await begin(house)
    version = (await house.match(match_id)).version
    await house.store.heartbeat(now_ms() + HOUR_MS)
    house.forget_time()
    async with house.croupier():
        await house.stays(match_id)
        assert (await house.match(match_id)).version == version
        house.wait(lasts_ms - GRACE_MS)
        await house.stays(match_id, 0.1)
        house.wait(2 * GRACE_MS)
        await house.until(match_id, is_after)


# ---- the heart ----------------------------------------------------------------------------------


async def test_a_leap_is_given_back_once_by_all_the_dealers_of_a_house(house: House) -> None:
    async with house.croupier(), house.croupier():
        match_id = await in_time(house)
        house.step(HOUR_MS)
        await house.until(match_id, has_time)
        await house.stays(match_id)
    given = [event for event in await house.events(match_id) if isinstance(event, events.ClockSet)]
    assert len(given) == 2


async def test_a_dealer_that_finds_the_same_gap_a_moment_later_gives_nothing_more(house: House) -> None:
    async with house.croupier():
        match_id = await in_time(house)
        await house.store.heartbeat(now_ms())
    house.step(HOUR_MS)
    for _ in range(2):
        await house.program(house.heart()).load_in_time(match_id)
        house.wait(MISSED_MS // 2)
    given = [event for event in await house.events(match_id) if isinstance(event, events.ClockSet)]
    assert len(given) == 2, "as the turn began, and once given back"


async def test_a_crash_while_time_is_given_back_loses_none_of_it(house: House) -> None:
    async with house.croupier():
        match_id = await in_time(house)
        await house.store.heartbeat(now_ms())
    house.step(HOUR_MS)
    heart = house.heart()
    assert await heart.find_gap() is not None
    await heart.leave_word()
    async with house.croupier():
        await house.until(match_id, has_time)


async def test_whoever_is_away_again_before_word_is_left_gives_that_back_as_well(house: House) -> None:
    async with house.croupier():
        match_id = await in_time(house)
        await house.store.heartbeat(now_ms())
    for _ in range(2):
        house.step(HOUR_MS)
        heart = house.heart()
        await house.program(heart).load_in_time(match_id)
        assert has_time(await house.match(match_id))
    clocks = (await house.match(match_id)).clocks
    assert clocks is not None
    assert clocks.due_at is not None
    assert abs(clocks.due_at - now_ms() - BANK_MS) < GRACE_MS


async def test_a_dealer_whose_clock_is_ahead_takes_nobodys_turn_at_another(house: House) -> None:
    async with house.croupier():
        match_id = await in_turn(house)
        await house.store.heartbeat(now_ms() + HOUR_MS)
        before = now_ms()
        while now_ms() < before + HOUR_MS // 2:
            await asyncio.sleep(0.01)
        await house.stays(match_id)
        house.wait(60_000 + GRACE_MS)
        await house.until(match_id, is_absent)


async def test_a_seed_that_nobody_was_there_to_wait_for_costs_no_more_than_a_ceremony(house: House) -> None:
    async with house.croupier():
        match_id = await in_a_deal(house)
        await house.store.heartbeat(now_ms())
    house.step(HOUR_MS)
    match = await house.match(match_id)
    assert match.ceremony is not None
    await house.program(house.heart()).submit(
        match_id, commands.CommitSeed(1, match.ceremony.deal, "ab" * 32), house.ask()
    )
    absence = (await house.match(match_id)).absence
    assert absence is not None
    assert absence.seeds_ms == {1: CEREMONY_MS - SEED_FREE_MS}
    assert await house.is_whole(match_id)


async def test_whoever_acts_before_the_croupier_has_looked_has_all_of_their_time(house: House) -> None:
    async with house.croupier():
        match_id = await in_time(house)
        await house.store.heartbeat(now_ms())
    match = await house.match(match_id)
    assert match.table is not None
    assert match.table.turn is not None
    house.step(HOUR_MS)
    await house.program(house.heart()).submit(match_id, commands.Bid(match.table.turn, 1, 2), house.ask())
    clocks = (await house.match(match_id)).clocks
    assert clocks is not None
    assert all(bank > BANK_MS - GRACE_MS for bank in clocks.banks.values())


async def test_a_match_that_began_after_the_leap_is_given_nothing(house: House) -> None:
    await house.store.heartbeat(now_ms())
    house.step(HOUR_MS)
    heart = house.heart()
    assert await heart.find_gap() is not None
    async with house.croupier():
        match_id = await in_time(house)
    before = await house.match(match_id)
    await house.program(heart).load_in_time(match_id)
    assert (await house.match(match_id)).version == before.version


async def test_another_dealers_clock_that_is_ahead_is_followed(house: House) -> None:
    heart = house.heart()
    assert await heart.find_gap() is None
    before = now_ms()
    await house.store.heartbeat(before + HOUR_MS)
    await heart.leave_word()
    assert now_ms() >= before + HOUR_MS
    assert heart.since >= before + HOUR_MS
    assert heart.has_missed()
    assert await heart.find_gap() is None, "another was there"
    assert not heart.has_missed()
    told = await heart.trouble()
    assert told is not None
    assert told.startswith("this machine's clock is 3")


async def test_a_clock_that_was_never_right_is_not_followed(house: House) -> None:
    heart, year_ms = house.heart(), 365 * 24 * HOUR_MS
    await house.store.heartbeat(now_ms() + year_ms)
    assert await heart.find_gap() is None
    await heart.leave_word()
    words = await house.store.last_words()
    assert words is not None
    assert abs(words.last - now_ms()) < year_ms // 2
    assert await heart.trouble() is None


async def test_time_in_which_the_program_was_stopped_is_missed(house: House) -> None:
    heart = house.heart()
    assert heart.has_missed()
    assert await heart.find_gap() is None
    await heart.leave_word()
    assert not heart.has_missed()
    house.step(STALLED_MS + 100)
    assert heart.has_missed()
    gap = await heart.find_gap()
    assert gap is not None
    assert gap.ms >= MISSED_MS
    assert not heart.has_missed()


async def test_a_store_that_is_away_is_time_in_which_nobody_is_there(house: House) -> None:
    class Away(MemoryStore):
        is_away = False

        async def heartbeat(self, at: int, since: int = 0) -> WordsLeft:
            if self.is_away:
                raise Unavailable(f"not at {at}")
            return await super().heartbeat(at, since)

    house.store = store = Away()
    heart = house.heart()
    assert await heart.find_gap() is None
    store.is_away = True
    await heart.leave_word()
    assert heart.has_missed()


async def test_a_new_house_takes_no_command_before_word_is_left(house: House) -> None:
    class Away(MemoryStore):
        async def heartbeat(self, at: int, since: int = 0) -> WordsLeft:
            raise Unavailable(f"not at {at}, nor since {since}")

    house.store = Away()
    heart = house.heart()
    with pytest.raises(Unavailable):
        await heart.find_gap()
    assert heart.has_missed()


def has_time(match: Match) -> bool:
    """Report whether the clock that runs has time left."""
    return match.clocks is not None and match.clocks.due_at is not None and match.clocks.due_at > now_ms()
