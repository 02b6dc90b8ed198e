"""Evidence and bounds: held against bets made die by die, against every outcome there is, and against loaded dice."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise, product
from math import exp, isclose, lgamma, log, pi

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.statistics.tallies import POOLED, DiceTally, Of, TallyQuestion
from domain.statistics.uniformity import ALARM, ERROR, bounds, combine, evidence, share_of, statistics

FACES = TallyQuestion(6, "faces", "all")


def bet(falls: Sequence[int], chances: Sequence[Fraction]) -> Fraction:
    """Return the purse of somebody who stakes it before each die by Laplace's rule of succession, exactly."""
    seen, purse = [1] * len(chances), Fraction(1)
    for cell in falls:
        purse *= Fraction(seen[cell], sum(seen)) / chances[cell]
        seen[cell] += 1
    return purse


def fair(question: TallyQuestion) -> list[Fraction]:
    if question.what == "runs":
        return [1 - Fraction(1, question.m), Fraction(1, question.m)]
    return [Fraction(1, question.m)] * question.m


def answered(question: TallyQuestion, dice: Sequence[int]) -> list[int]:
    """Return the counts that a row of dice, all of one cup and rolled one by one, comes to."""
    counts = [0] * question.cells
    length = 1
    match question.what:
        case "faces":
            for value in dice:
                counts[value] += 1
        case "runs":
            for one, other in pairwise(dice):
                counts[2 * (min(length, 3) - 1) + (one == other)] += 1
                length = length + 1 if one == other else 1
        case _:
            for one, other in pairwise(dice):
                counts[one * question.m + other] += 1
    return counts


QUESTIONS = [TallyQuestion(m, what, "all") for m in (2, 3) for what in ("faces", "beside", "after", "runs")]


# ---- evidence --------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 5), max_size=60))
def test_the_purse_is_what_betting_die_by_die_comes_to(falls: list[int]) -> None:
    counts = answered(FACES, falls)
    assert isclose(exp(evidence(FACES, counts)), bet(falls, fair(FACES)), rel_tol=1e-9)


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
@pytest.mark.parametrize("dice", range(8))
def test_over_all_ways_in_which_fair_dice_can_fall_the_purse_is_one(question: TallyQuestion, dice: int) -> None:
    falls = list(product(range(question.m), repeat=dice))
    purses = [exp(evidence(question, answered(question, fall))) for fall in falls]
    assert isclose(sum(purses) / len(falls), 1, rel_tol=1e-9)


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_whatever_fell_before_the_next_fair_die_neither_gains_nor_loses(question: TallyQuestion) -> None:
    for fall in product(range(question.m), repeat=5):
        now = exp(evidence(question, answered(question, fall)))
        then = [exp(evidence(question, answered(question, (*fall, value)))) for value in range(question.m)]
        assert isclose(sum(then) / question.m, now, rel_tol=1e-9), fall


def test_evidence_is_half_of_chi_square_less_what_the_bet_costs() -> None:
    # Stirling's formula, to the second order: what an old test says of many dice, this one says as well.
    drawn, k, n = random.Random(6), 6, 60_000
    for load in (0.0, 0.01, 0.03):
        counts = answered(FACES, drawn.choices(range(k), [1 + load, *[1] * (k - 1)], k=n))
        chi_square = sum((count - n / k) ** 2 / (n / k) for count in counts)
        cost = lgamma(k) - (k - 1) / 2 * log(n / (2 * pi)) - k / 2 * log(k)
        assert isclose(evidence(FACES, counts), chi_square / 2 + cost, abs_tol=0.5)


# ---- dice that wait --------------------------------------------------------------------------------


def endings(m: int, dice: int) -> Iterator[list[int]]:
    for fall in product(range(m), repeat=dice):
        yield [fall.count(value) for value in range(m)]


@given(st.lists(st.integers(0, 5), min_size=3, max_size=3), st.integers(0, 6))
def test_dice_that_wait_are_taken_to_be_what_speaks_least_against_the_house(counts: list[int], waiting: int) -> None:
    question = TallyQuestion(3, "faces", "all")
    least = min(evidence(question, [a + b for a, b in zip(counts, more, strict=True)]) for more in endings(3, waiting))
    assert isclose(evidence(question, counts, waiting), least, rel_tol=1e-9, abs_tol=1e-9)


@pytest.mark.parametrize("question", [one for one in QUESTIONS if one.what != "faces"], ids=str)
def test_of_pairs_and_runs_no_more_is_told_than_will_be_true_whatever_waits(question: TallyQuestion) -> None:
    drawn = random.Random(2)
    for _ in range(20):
        counts = [drawn.randrange(5) for _ in range(question.cells)]
        for waiting in range(3):
            told = evidence(question, counts, waiting)
            for more in endings(question.cells, waiting):
                later = [a + b for a, b in zip(counts, more, strict=True)]
                assert told <= evidence(question, later) + 1e-9


@given(st.lists(st.integers(0, 40), min_size=6, max_size=6), st.lists(st.integers(0, 8), min_size=6, max_size=6))
def test_bounds_hold_what_they_will_hold_when_the_dice_that_wait_are_known(counts: list[int], more: list[int]) -> None:
    later = bounds([a + b for a, b in zip(counts, more, strict=True)])
    now = bounds(counts, sum(more))
    assert all(low <= known[0] and known[1] <= high for (low, high), known in zip(now, later, strict=True))


# ---- bounds ------------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 500), min_size=2, max_size=8))
def test_bounds_are_where_a_bet_on_the_side_would_have_won_enough(counts: list[int]) -> None:
    dice, most = sum(counts), log(len(counts) / ERROR)
    for count, (low, high) in zip(counts, bounds(counts), strict=True):
        assert 0 <= low <= high <= 1
        for share in (low - 2e-4, high + 2e-4):
            if 0 < share < 1:
                against = lgamma(count + 1) + lgamma(dice - count + 1) - lgamma(dice + 2)
                assert against - count * log(share) - (dice - count) * log(1 - share) > most


def test_without_dice_nothing_is_known() -> None:
    assert bounds([0] * 6) == [(0.0, 1.0)] * 6
    found = statistics(DiceTally())
    assert (found.dice, found.evidence, found.even, found.findings) == (0, 0.0, True, [])


def always_within(share: Sequence[float], dice: int, drawn: random.Random) -> bool:
    """Report whether the bounds hold the true shares after every single die."""
    falls = drawn.choices(range(len(share)), share, k=dice)
    counts = [0] * len(share)
    for fall in falls:
        counts[fall] += 1
        if not all(low <= true <= high for true, (low, high) in zip(share, bounds(counts), strict=True)):
            return False
    return True


@pytest.mark.parametrize("share", [(0.25,) * 4, (0.4, 0.3, 0.2, 0.1)], ids=["fair", "loaded"])
def test_bounds_that_are_looked_at_after_every_die_hold_the_truth_at_all_times(share: tuple[float, ...]) -> None:
    drawn = random.Random(1)
    held = sum(always_within(share, 150, drawn) for _ in range(60))
    assert held >= 60 * (1 - ERROR)


def test_bounds_close_in_on_the_truth() -> None:
    drawn = random.Random(3)
    counts = answered(FACES, drawn.choices(range(6), k=60_000))
    assert all(low <= 1 / 6 <= high and high - low < 0.02 for low, high in bounds(counts))


# ---- many questions --------------------------------------------------------------------------------


def test_the_shares_of_all_questions_there_can_be_are_one_coin() -> None:
    numbers: dict[Of, int] = {"all": 1, "slot": POOLED + 1, "roll": POOLED + 1, "seat": 256, "player": 3}
    staked = sum(
        share_of(TallyQuestion(m, what, of)) * number
        for m in range(2, 257)
        for what in ("faces", "beside", "after", "runs")
        for of, number in numbers.items()
    )
    assert isclose(staked, 1)


def test_the_whole_purse_is_the_sum_of_the_shares_and_of_what_was_never_staked() -> None:
    one, other = FACES, TallyQuestion(10, "runs", "slot", "3")
    purses = {one: log(3), other: log(0.5)}
    kept = 1 - share_of(one) - share_of(other)
    assert isclose(exp(combine(purses)), 3 * share_of(one) + 0.5 * share_of(other) + kept)
    assert combine({}) == 0
    assert isclose(combine({one: 5_000.0}), 5_000 + log(share_of(one)))


def rolled(drawn: random.Random, dice: int, weights: dict[str, Sequence[int]]) -> DiceTally:
    """Return the tally of dice that persons and the house roll in turn."""
    counts: dict[TallyQuestion, list[int]] = {}
    for number in range(dice):
        kind = ("person", "house")[number % 2]
        value = drawn.choices(range(6), weights[kind])[0]
        for question in (FACES, TallyQuestion(6, "faces", "player", kind)):
            counts.setdefault(question, [0] * 6)[value] += 1
    return DiceTally(1, 1, counts)


def test_a_house_that_gives_its_own_players_better_dice_is_found_and_named() -> None:
    fair_dice, better = [20] * 6, [28, 20, 20, 20, 20, 12]
    found = statistics(rolled(random.Random(4), 6_000, {"person": fair_dice, "house": better}))
    named = {(one.of, one.which) for one in found.findings if one.uneven}
    assert not found.even
    assert ("player", "house") in named
    assert ("player", "person") not in named


def test_fair_dice_that_are_looked_at_all_the_time_seldom_raise_the_alarm() -> None:
    drawn, alarms = random.Random(5), 0
    for _ in range(100):
        falls = drawn.choices(range(6), k=300)
        one = [evidence(FACES, counts) for counts in accumulate(falls, _more, initial=(0,) * len(range(6)))]
        alarms += max(one) >= log(ALARM)
    assert alarms <= 100 * ERROR


def _more(counts: tuple[int, ...], fall: int) -> tuple[int, ...]:
    return (*counts[:fall], counts[fall] + 1, *counts[fall + 1 :])


def test_what_is_told_names_dice_that_wait_and_dice_that_are_only_shown() -> None:
    tally = DiceTally(2, 3, {FACES: [3, 2, 1, 0, 0, 0]}, {FACES: 4, TallyQuestion(10, "faces", "all"): 5}, {6: [1] * 6})
    found = statistics(tally)
    assert (found.matches, found.deals, found.dice, found.waiting, found.shown) == (2, 3, 6, 9, {"6": [1] * 6})
    assert [(one.m, sum(one.counts), one.waiting) for one in found.findings] == [(6, 6, 4), (10, 0, 5)]
    assert found.even
