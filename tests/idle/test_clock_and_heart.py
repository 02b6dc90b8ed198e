"""The house's own clock and its heart, where the clock on the wall leaps."""

from __future__ import annotations

import pytest

from infra.clock import MS, Clock, now_ms
from infra.store import MISSED_MS
from tests.idle.house import House

HOUR_MS = 3_600_000


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> House:
    return House(monkeypatch)


# ---- the house's clock --------------------------------------------------------------------------


class Hands:
    """Two clocks that stand still until a test moves them."""

    def __init__(self) -> None:
        self.wall = self.ticks = 1_000_000 * MS
        self.clock = Clock(lambda: self.wall, lambda: self.ticks)

    def go(self, ms: int) -> int:
        self.wall += ms * MS
        self.ticks += ms * MS
        return self.clock.now_ms()


def test_a_clock_goes_with_the_wall_and_believes_it_at_once_when_it_is_ahead() -> None:
    hands = Hands()
    assert hands.go(1) == 1_000_001
    hands.wall += HOUR_MS * MS
    assert hands.clock.now_ms() == 1_000_001 + HOUR_MS
    assert hands.clock.ahead_ms() == 0


def test_a_clock_that_was_set_back_goes_on_a_little_slower_until_the_wall_has_come_up() -> None:
    hands = Hands()
    before = hands.clock.now_ms()
    hands.wall -= HOUR_MS * MS
    told = [hands.go(1) for _ in range(160)]
    assert told == sorted(told)
    assert told[-1] == before + 150
    assert hands.clock.ahead_ms() == HOUR_MS - 10
    hands.go(16 * HOUR_MS - 160)
    assert hands.clock.ahead_ms() == 0
    assert hands.go(1) == hands.wall // MS


def test_a_clock_can_be_told_what_was_said_before() -> None:
    hands = Hands()
    hands.clock.advance_to(5)
    assert hands.clock.now_ms() == 1_000_000
    hands.clock.advance_to(1_000_500)
    assert hands.clock.now_ms() == 1_000_500
    assert hands.go(16) == 1_000_515


# ---- hearts -------------------------------------------------------------------------------------


async def test_the_time_of_a_line_hides_no_time_in_which_nobody_was_there(house: House) -> None:
    await house.store.heartbeat(now_ms())
    heart = house.heart()
    heart.hear_time(now_ms() + HOUR_MS)
    gap = await heart.find_gap()
    assert gap is not None
    assert gap.ms >= HOUR_MS


async def test_a_leap_in_a_house_that_has_just_begun_counts_for_nobody(house: House) -> None:
    heart, before = house.heart(), now_ms()
    assert await heart.find_gap() is None
    house.step(HOUR_MS)
    gap = await heart.find_gap()
    assert gap is not None
    assert gap.ms >= HOUR_MS
    assert heart.uncounted_ms(before) >= HOUR_MS


async def test_a_new_house_that_dies_before_it_beats_has_left_word(house: House) -> None:
    await house.heart().find_gap()  # as whoever takes the first command does
    house.step(HOUR_MS)
    gap = await house.heart().find_gap()
    assert gap is not None
    assert gap.ms >= HOUR_MS


async def test_a_leap_counts_for_nobody_though_the_clock_of_another_dealer_has_leapt_first(house: House) -> None:
    heart, before = house.heart(), now_ms()
    await heart.find_gap()
    await house.store.heartbeat(now_ms() + HOUR_MS)
    house.step(HOUR_MS)
    assert await heart.find_gap() is None
    assert heart.uncounted_ms(before) >= HOUR_MS


async def test_the_time_of_a_line_is_heard_though_nobody_has_left_word_of_it(house: House) -> None:
    heart = house.heart()
    await heart.find_gap()
    before, beginnings = now_ms(), heart.beginnings
    heart.hear_time(before + MISSED_MS)
    heart.hear_time(before + 25 * HOUR_MS)
    assert heart.beginnings == beginnings
    heart.hear_time(before + HOUR_MS)
    assert now_ms() >= before + HOUR_MS
    assert heart.uncounted_ms(before) >= HOUR_MS
    assert heart.has_missed()
    assert await heart.find_gap() is not None
    assert heart.beginnings == beginnings + 1
    assert not heart.has_missed()
