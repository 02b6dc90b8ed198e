"""Shares of matches among dealers: one of them is the first at each, and what he does not do another does later."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from uuid import UUID, uuid4

import pytest

from domain.match.record import fold, stream_of
from infra.handoff import shares
from infra.handoff.nats import NatsHandoff
from infra.handoff.rota import BEAT_S
from infra.handoff.shares import Alone, Shares, late_ms
from infra.keys import Ed25519Signer
from infra.store.memory import MemoryStore
from services.bots.player import Bots
from services.dealer.notary import Notary
from services.dealer.scheduler import MatchScheduler
from services.matches.heart import Heart
from tests.attack.test_croupier import RULES, Nap, begun, house, until
from tests.handoff.test_contract import echoed
from tests.relay.conftest import Bus, bus
from tests.relay.playing import until as until_true

__all__ = ["bus"]


class Others:
    """Nothing of it, for a dealer who is the first nowhere."""

    def is_of_another(self, _about: str) -> bool:
        return True


@asynccontextmanager
async def dealing(store: MemoryStore, share: Shares) -> AsyncIterator[None]:
    """Let a dealer with this share deal and play for bots."""
    matches, notary = house(store), Notary(store, "shares.example/log", (Ed25519Signer(bytes(32)),))
    scheduler = MatchScheduler(store, Heart(store), matches, notary, Nap(), shares=share)
    bots = Bots(store, matches, Nap(), 0, late_ms=lambda match_id: late_ms(share, match_id))
    tasks = [asyncio.create_task(work.run()) for work in (scheduler, bots)]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def waits_of(store: MemoryStore, match_id: UUID) -> list[tuple[str, int]]:
    """Return the type of each event, and how long after the one before it happened, in milliseconds."""
    told = [(type(event).__name__, written.match.at) for written, event in fold(await store.read(stream_of(match_id)))]
    return [(name, at - before) for (_, before), (name, at) in pairwise(told)]


async def test_a_dealer_acts_later_at_matches_of_another_and_acts_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shares, "LATE_MS", 100)
    monkeypatch.setitem(RULES, "options", {"dice_per_player": 2})
    store = MemoryStore()
    match_id = await begun(house(store))
    async with dealing(store, Others()):
        await until(store, match_id, lambda match: match.ended)
    late = {name: wait_ms for name, wait_ms in await waits_of(store, match_id) if name in {"Bid", "RoundOpened"}}
    assert late.keys() == {"Bid", "RoundOpened"}, "bots have played, and a second round was dealt"
    assert min(late.values()) >= 100


async def test_of_two_dealers_the_first_at_a_match_does_it_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """The other one, who would be an hour late, is needed nowhere."""
    monkeypatch.setattr(shares, "LATE_MS", 3_600_000)
    store = MemoryStore()
    match_id = await begun(house(store))
    async with dealing(store, Others()), dealing(store, Alone()):
        await until(store, match_id, lambda match: match.ended)


async def test_of_dealers_who_hear_each_other_one_is_the_first_at_each_match(bus: Bus) -> None:
    dealers = [NatsHandoff((await bus.feed()).client) for _ in range(3)]
    taking = [await dealer.take(echoed) for dealer in dealers]
    await asyncio.sleep(2 * BEAT_S)
    matches = [str(uuid4()) for _ in range(64)]

    def first_of(about: str) -> list[int]:
        return [number for number, dealer in enumerate(dealers) if not dealer.is_of_another(about)]

    await until_true(lambda: all(len(first_of(about)) == 1 for about in matches))
    assert {number for about in matches for number in first_of(about)} == {0, 1, 2}
    await taking[0].stop()
    await until_true(lambda: {number for about in matches for number in first_of(about) if number} == {1, 2})
    await until_true(lambda: all(len([each for each in first_of(about) if each]) == 1 for about in matches))
    for one in taking[1:]:
        await one.stop()
