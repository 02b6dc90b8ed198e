"""Seats that are slow on purpose with their seeds: the time they may take is one for the whole match."""

from __future__ import annotations

from uuid import UUID

import pytest

from domain import commands, events
from domain.fairness.deal import seed_commitment
from domain.match.evolve import Match
from infra.entropy import draw
from tests.idle.house import House, is_dealt

NAMES = ("Ada", "Bob", "Cyd")
SLOW_MS = 9_000


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> House:
    return House(monkeypatch)


async def begun(house: House) -> UUID:
    """Return a match with a deal for each round, whose seats all bring their own seeds."""
    match_id = await house.opened(seats=3, deal_per="round", options={"dice_per_player": 5})
    for name in NAMES:
        await house.matches.join(match_id, name, "client", house.ask())
    await house.matches.start(match_id, house.ask())
    return match_id


async def give_slowly(house: House, match_id: UUID) -> None:
    """Let every seat commit and open, each time as late as it may."""
    seeds = {seat: draw(32) for seat in (1, 2, 3)}
    deal = (await house.match(match_id)).ceremony
    assert deal is not None
    house.wait(SLOW_MS)
    for seat, seed in seeds.items():
        commit = seed_commitment(seed, deal.ctx, deal.root, seat).hex()
        await house.matches.submit(match_id, commands.CommitSeed(seat, deal.deal, commit), house.ask())
    await house.until(match_id, is_logged)
    house.wait(3 * SLOW_MS)
    for seat, seed in seeds.items():
        await house.matches.submit(match_id, commands.OpenSeed(seat, deal.deal, seed.hex()), house.ask())


def is_logged(match: Match) -> bool:
    return match.ceremony is not None and match.ceremony.stage == "logged"


async def test_who_is_slow_once_too_often_gives_no_more_seeds(house: House) -> None:
    async with house.croupier():
        match_id = await begun(house)
        await give_slowly(house, match_id)
        await house.until(match_id, is_dealt)
        await house.bid(match_id)
        await house.challenge(match_id)
        await house.until(match_id, lambda match: match.deals > 1 and is_dealt(match))
    happened = await house.events(match_id)
    second = [place for place, event in enumerate(happened) if isinstance(event, events.DealCommitted)][1]
    assert happened[second - 3 : second] == [events.SeedCustody(seat, "server") for seat in (1, 2, 3)]
    assert not any(isinstance(event, events.DealVoided) for event in happened)


async def test_who_gives_no_seed_keeps_nobody_waiting_for_longer_than_the_rest_of_the_time(house: House) -> None:
    async with house.croupier():
        match_id = await begun(house)
        await house.stays(match_id)
        house.wait(12_001)
        await house.until(match_id, is_dealt)
    happened = await house.events(match_id)
    assert [event.seat for event in happened if isinstance(event, events.SeedCustody)] == [1, 2, 3]
