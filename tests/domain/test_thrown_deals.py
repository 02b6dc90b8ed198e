"""Deals thrown away, and seeds that the house drew: counted from lines, with an alarm whose false ones are counted."""

from __future__ import annotations

from fractions import Fraction
from math import comb, exp, log
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.log import canonical
from domain.statistics.deals import (
    ALARM,
    BOTS,
    LEVEL,
    PEOPLE,
    USUAL,
    DealCounter,
    DealCounts,
    add_deals,
    chance_of_voids,
    deal_statistics,
    log_purse,
)
from tests.fairness.scripted_server import Story

EVENT = "0b5c8a52-7c0f-4b6d-9d6a-0d9c2a5b7e11"


def counted(*said: tuple[str, dict[str, object]]) -> DealCounter:
    found = DealCounter()
    for seq, (kind, data) in enumerate(said):
        found.step(canonical.line("match/x", seq, "0" * 64, 1, kind, data))
    return found


def created(**rules: object) -> tuple[str, dict[str, object]]:
    return "match.created", {"rules": rules}


def joined(seat: int, player: str = "p1") -> tuple[str, dict[str, object]]:
    return "seat.joined", {"player": player, "seat": seat}


DRAWN_FOR_2 = ("game.seed_custody", {"by": "server", "seat": 2})
OWN_AGAIN = ("game.seed_custody", {"by": "client", "seat": 2})
SEALED = ("deal.sealed", {"seats": [1, 2]})
NOTHING: dict[str, object] = {}
LOGGED, READY, VOIDED = ("deal.logged", NOTHING), ("deal.ready", NOTHING), ("deal.voided", NOTHING)

# ---- lines ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ((SEALED, LOGGED, READY), DealCounts(1, 0, 0)),
        ((SEALED, VOIDED), DealCounts(0, 0, 0)),
        ((SEALED, LOGGED, VOIDED), DealCounts(1, 1, 0)),
        ((SEALED, LOGGED, VOIDED, SEALED, VOIDED), DealCounts(1, 1, 0)),
        ((SEALED, LOGGED, VOIDED, VOIDED), DealCounts(1, 1, 0)),
        ((DRAWN_FOR_2, SEALED, LOGGED, READY, SEALED, LOGGED, READY), DealCounts(2, 0, 2)),
        ((DRAWN_FOR_2, SEALED, LOGGED, VOIDED), DealCounts(1, 1, 0)),
        ((DRAWN_FOR_2, joined(2), SEALED, LOGGED, READY), DealCounts(1, 0, 0)),
        ((joined(2, "bot/3"), DRAWN_FOR_2, SEALED, LOGGED, READY), DealCounts(1, 0, 0)),
        ((joined(2, "bot/3"), joined(2), DRAWN_FOR_2, SEALED, LOGGED, READY), DealCounts(1, 0, 1)),
        ((DRAWN_FOR_2, SEALED, LOGGED, READY, OWN_AGAIN, SEALED, LOGGED, READY), DealCounts(2, 0, 1)),
        ((DRAWN_FOR_2, ("deal.sealed", {"seats": [1]}), LOGGED, READY), DealCounts(1, 0, 0)),
        ((("game.bid", {}),), DealCounts()),
        ((("game.seed_custody", {"seat": []}), SEALED, LOGGED, READY), DealCounts(1, 0, 0)),
    ],
)
def test_a_deal_that_the_log_had_may_be_thrown_away_or_played(
    said: tuple[tuple[str, dict[str, object]], ...], expected: DealCounts
) -> None:
    assert counted(*said).counts == expected


def test_whose_table_it_is_follows_from_its_first_lines() -> None:
    assert counted(created(), joined(1)).host == PEOPLE
    assert counted(created(event=None), joined(1), joined(2, "bot/3")).host == BOTS
    assert counted(created(event={"tournament": EVENT}), joined(1, "bot/3")).host == EVENT


def test_what_says_nothing_of_deals_is_passed_over() -> None:
    counter = DealCounter()
    told = [counter.step(line) for line in Story().to_end().lines]
    assert (told.count(True), counter.counts) == (6, DealCounts(1))


# ---- chance -----------------------------------------------------------------------------------


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 20), st.integers(0, 20))
def test_the_chance_of_so_many_voids_is_that_of_an_urn(voided: int, kept: int, ours: int, clean: int) -> None:
    ours, clean = min(ours, voided), min(clean, kept)
    total, draws = DealCounts(voided + kept, voided), ours + clean
    ways = sum(comb(voided, each) * comb(kept, draws - each) for each in range(ours, min(draws, voided) + 1))
    exact = Fraction(ways, comb(voided + kept, draws))
    assert chance_of_voids(total, DealCounts(draws, ours)) == pytest.approx(float(exact), abs=1e-9)


@given(st.integers(1, 40))
def test_a_bet_against_rates_up_to_the_usual_one_gains_nothing_on_average(deals: int) -> None:
    for rate in (0.0, USUAL / 2, USUAL):
        mean = sum(
            comb(deals, voided)
            * rate**voided
            * (1 - rate) ** (deals - voided)
            * exp(log_purse(DealCounts(deals, voided)))
            for voided in range(deals + 1)
        )
        assert mean <= 1 + 1e-9


def test_an_honest_house_never_raises_the_alarm_more_often_than_is_said() -> None:
    chance, alarms = Random(4), 0
    for _ in range(200):
        counts, ever = DealCounts(), False
        for _ in range(150):
            counts += DealCounts(1, int(chance.random() < USUAL))
            ever = ever or log_purse(counts) >= log(ALARM)
        alarms += ever
    assert alarms <= 200 / ALARM


def test_hosts_who_void_alike_raise_no_alarm_and_who_voids_more_does() -> None:
    chance, alarms = Random(7), 0
    for _ in range(200):
        dealt = {str(host): DealCounts(50, sum(chance.random() < 0.03 for _ in range(50))) for host in range(20)}
        alarms += deal_statistics(dealt).frequent
    assert alarms <= 1
    told = deal_statistics(dealt | {"crook": DealCounts(50, 14)})
    assert (told.hosts[0].host, told.hosts[0].frequent) == ("crook", True)
    assert told.hosts[0].chance <= LEVEL
    assert (told.frequent, log_purse(told.counts) < log(ALARM)) == (True, True)


def test_a_house_that_voids_one_deal_in_five_raises_the_alarm_though_all_its_hosts_are_alike() -> None:
    told = deal_statistics({PEOPLE: DealCounts(100, 20), BOTS: DealCounts(100, 20)})
    assert (told.frequent, [host.frequent for host in told.hosts]) == (True, [False, False])
    assert told.evidence > log(ALARM) / log(10)


def test_a_house_without_deals_has_nothing_to_say() -> None:
    told = deal_statistics({})
    assert (told.counts, told.evidence, told.frequent, told.hosts) == (DealCounts(), 0.0, False, ())


def test_counts_are_added_by_host_and_taken_away_again() -> None:
    one, other = {PEOPLE: DealCounts(3, 1, 2)}, {PEOPLE: DealCounts(1), EVENT: DealCounts(2, 1)}
    whole = add_deals(one, other)
    assert whole == {PEOPLE: DealCounts(4, 1, 2), EVENT: DealCounts(2, 1)}
    assert add_deals(whole, {host: -counts for host, counts in other.items()}) == one
