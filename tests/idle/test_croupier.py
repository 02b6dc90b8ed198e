"""Deadlines where people stop: kept by whoever follows the log, and never too early."""

from __future__ import annotations

import pytest

from domain import events
from domain.match.evolve import Match
from infra.clock import now_ms
from tests.idle.house import House, is_dealt, is_over


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> House:
    return House(monkeypatch)


def turn_since(match: Match) -> int:
    """Return when the turn began that the match waits for, in Unix milliseconds."""
    assert match.absence is not None
    return match.absence.turn_since


async def test_the_table_acts_for_a_seat_that_lets_it_wait_and_ends_when_nobody_comes_back(house: House) -> None:
    async with house.croupier():
        match_id = await house.begun("Ada", "Bob", "Cyd")
        await house.until(match_id, is_dealt)
        await house.stays(match_id)
        for _ in range(20):
            house.wait(60_000)
            await house.until(match_id, lambda match: match.ended or turn_since(match) > now_ms() - 59_000)
            if (await house.match(match_id)).ended:
                break
        await house.until(match_id, is_over)
    happened = await house.events(match_id)
    assert any(isinstance(event, events.Absent) for event in happened)
    assert await house.is_whole(match_id)


async def test_a_lobby_where_nobody_comes_or_goes_expires_and_one_that_moves_does_not(house: House) -> None:
    async with house.croupier():
        quiet, busy = await house.opened(), await house.opened()
        house.wait(60_000)
        await house.matches.join(busy, "Ada", "server", house.ask())
        house.wait(40_000)
        await house.until(quiet, is_over)
        await house.stays(busy)
        house.wait(51_000)
        await house.until(busy, is_over)
    assert (await house.events(busy))[-2:] == [events.EndAsked("expired"), events.MatchEnded(None)]


async def test_whoever_was_waited_for_while_the_service_was_down_gets_the_whole_time_again(house: House) -> None:
    async with house.croupier():
        match_id = await house.begun("Ada", "Bob")
        await house.until(match_id, is_dealt)
    house.wait(3_600_000)
    async with house.croupier():
        await house.stays(match_id)
        house.wait(50_000)
        await house.stays(match_id)
        house.wait(12_000)
        await house.until(match_id, lambda match: match.absence is not None and bool(match.absence.turns))


async def test_time_that_nobody_kept_is_given_back_without_a_start(house: House) -> None:
    async with house.croupier():
        match_id = await house.begun("Ada", "Bob")
        await house.until(match_id, is_dealt)
    async with house.croupier():
        await house.bid(match_id)
        house.wait(50_000)
        await house.stays(match_id, 0.1)
        house.wait(12_000)
        await house.until(match_id, lambda match: match.absence is not None and bool(match.absence.turns))


async def test_a_match_that_its_host_wants_to_wait_for_ever_waits(house: House) -> None:
    async with house.croupier():
        match_id = await house.begun("Ada", "Bob", idle=None)
        lobby = await house.opened(idle=None)
        await house.until(match_id, is_dealt)
        house.wait(86_400_000)
        await house.stays(match_id)
        await house.stays(lobby, 0.1)
