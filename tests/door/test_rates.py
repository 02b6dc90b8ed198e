"""Rates of one asker. Windows here are an hour long: no machine is so slow that a test takes part of one."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from services.http.front.rates import ASKERS_MAX, Rate, Rates
from services.http.problems import HttpProblem

HOUR = 3_600


def refused(rates: Rates, rate: Rate, asker: str = "192.0.2.1") -> HttpProblem | None:
    """Ask once; None is a yes."""
    try:
        rates.check("reads", rate, asker)
    except HttpProblem as trouble:
        return trouble
    return None


async def test_a_burst_is_let_through_and_the_next_is_told_when_to_come_back():
    rates, rate = Rates(), Rate(5, HOUR)
    assert [refused(rates, rate) for _ in range(5)] == [None] * 5
    trouble = refused(rates, rate)
    assert trouble is not None
    assert trouble.code == "too_many_requests"
    assert trouble.facts == {"ratelimit": {"key": "reads", "seconds": HOUR // 5}}
    assert trouble.headers == {
        "Retry-After": "720",
        "RateLimit-Policy": '"reads";q=5;w=3600',
        "RateLimit": '"reads";r=0;t=720',
    }


async def test_a_rejected_request_costs_nothing():
    rates, rate = Rates(), Rate(1, HOUR)
    refused(rates, rate)
    assert [again.headers["Retry-After"] for _ in range(9) if (again := refused(rates, rate))] == ["3600"] * 9


async def test_a_quota_comes_back_bit_by_bit():
    rates, rate = Rates(), Rate(20)
    while refused(rates, rate) is None:
        await asyncio.sleep(0)
    while refused(rates, rate) is not None:
        await asyncio.sleep(0.01)
    assert refused(rates, Rate(20, HOUR), "another") is None


async def test_each_asker_and_each_policy_has_its_own_quota():
    rates, rate = Rates(), Rate(1, HOUR)
    assert [refused(rates, rate, asker) for asker in ("a", "b")] == [None, None]
    rates.check("writes", rate, "a")
    with pytest.raises(HttpProblem):
        rates.check("writes", rate, "a")


async def test_refusals_are_counted_by_policy():
    counted: Counter[str] = Counter()
    rates = Rates(counted)
    for _ in range(3):
        refused(rates, Rate(1, HOUR))
    assert counted == {"reads": 2}


async def test_what_is_remembered_is_bounded_and_the_latest_are_kept():
    rates, rate = Rates(), Rate(1, HOUR)
    for asker in range(ASKERS_MAX + 9):
        refused(rates, rate, str(asker))
    assert [refused(rates, rate, str(asker)) is None for asker in (ASKERS_MAX + 8, 0)] == [False, True]
