"""Presence in an arena: whoever waits and has gone is seated nowhere, and whoever is there goes on waiting."""

from __future__ import annotations

import asyncio
from uuid import UUID

import pytest

from domain.tournaments import commands, events
from infra.feed.memory import MemoryFeed
from infra.store.memory import MemoryStore
from services.dealer.idlers import people_idle
from services.http.bounds import Bounds
from services.matches.looks import LookPace, Looks
from services.matches.watching import presence as presence_module
from services.matches.watching.presence import Presence, own_card
from tests.api.conftest import bearer, served
from tests.bots.test_player import working
from tests.director.house import EventHouse
from tests.director.test_tables import TIME, Evening
from tests.tournaments.ladder_events import LadderEvent

ARENA = [{"format": "arena", "duration_ms": 600_000, "wave_ms": 1_000, "patience_ms": 300_000}]
HERE, GONE, NEVER = 1, 2, 3
EVENT = UUID(int=7)


class Cards:
    """Cards that were looked at, and those at which nobody looks any more."""

    def __init__(self) -> None:
        self.cards: set[str] = set()
        self.left: set[str] = set()

    def has_seen(self, what: str) -> bool:
        return what in self.cards

    def is_unseen(self, what: str, for_s: float) -> bool:
        assert for_s == 15
        return what not in self.cards or what in self.left


async def test_who_has_gone_pauses_and_who_is_there_or_was_never_seen_waits(house: EventHouse) -> None:
    seen = Cards()
    async with working(*house.works(), house.director(presence=Presence(seen)).run()):
        await house.announce(stages=ARENA, time=TIME)
        await house.enter("Ana", "Bob", "Cyd")
        seen.cards |= {own_card(house.id, HERE), own_card(house.id, GONE)}
        await house.check_in()
        evening = Evening(house)
        await evening.phase("running")
        for number in (HERE, GONE, NEVER):
            who = (await house.tournament()).entrants[number].player
            await house.do(commands.WaitForTable(by=who, number=number))
        await asyncio.sleep(0.1)
        assert not any(isinstance(each, events.PlayerPauses) for each in await evening.happened())
        seen.left.add(own_card(house.id, GONE))

        async def has_paused() -> bool:
            return any(isinstance(each, events.PlayerPauses) for each in await evening.happened())

        await evening.until(has_paused)
        await asyncio.sleep(0.05)
        pauses = [each.number for each in await evening.happened() if isinstance(each, events.PlayerPauses)]
        assert pauses == [GONE]
        seen.left.clear()
        player = (await house.tournament()).entrants[GONE].player
        await house.do(commands.WaitForTable(by=player, number=GONE))
        asked = (await house.tournament()).entrants[GONE].asked
        assert asked is not None
        assert asked[0]


async def test_two_directors_pause_somebody_once(house: EventHouse) -> None:
    seen = Cards()
    async with working(*house.works(), *(house.director(presence=Presence(seen)).run() for _ in range(2))):
        await house.announce(stages=ARENA, time=TIME)
        await house.enter("Ana", "Bob")
        seen.cards |= {own_card(house.id, number) for number in (1, 2)}
        seen.left = set(seen.cards)
        await house.check_in()
        evening = Evening(house)
        await evening.phase("running")
        for number in (1, 2):
            who = (await house.tournament()).entrants[number].player
            await house.do(commands.WaitForTable(by=who, number=number))

        async def have_paused() -> bool:
            return sum(isinstance(each, events.PlayerPauses) for each in await evening.happened()) >= 2

        await evening.until(have_paused)
        await asyncio.sleep(0.1)
        pauses = [each.number for each in await evening.happened() if isinstance(each, events.PlayerPauses)]
        assert sorted(pauses) == [1, 2]


async def test_somebody_has_gone_only_where_looks_are_known_and_one_was_seen() -> None:
    looks = Looks(pace=LookPace(tell_s=0.01, tick_s=0.01))
    presence = Presence(looks)
    async with working(looks.run()):
        await asyncio.sleep(0)
        assert not presence.has_gone(EVENT, 1)
        looks.begin(own_card(EVENT, 1))
        assert looks.has_seen(own_card(EVENT, 1))
        assert not presence.has_gone(EVENT, 1)
        looks.end(own_card(EVENT, 1))
        assert not presence.has_gone(EVENT, 1), "not for a quarter of a minute"
    assert not Presence().has_gone(EVENT, 1)


async def test_whoever_is_connected_to_another_node_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """The card is open at a node that decides nothing; the director is at another."""
    monkeypatch.setattr(presence_module, "AWAY_S", 0.2)
    feed, pace = MemoryFeed(), LookPace(tell_s=0.02, tick_s=0.01)
    front, dealer = Looks(feed, pace), Looks(feed, pace)
    presence = Presence(dealer)
    async with working(front.run(), dealer.run()):
        await asyncio.sleep(0.05)
        front.begin(own_card(EVENT, 1))
        for _ in range(8):
            await asyncio.sleep(0.05)
            assert not presence.has_gone(EVENT, 1)
        assert dealer.has_seen(own_card(EVENT, 1)), "it was told"
        front.end(own_card(EVENT, 1))
        async with asyncio.timeout(10):
            while not presence.has_gone(EVENT, 1):
                await asyncio.sleep(0.02)


def test_whoever_asks_for_the_own_card_is_there() -> None:
    house = EventHouse(MemoryStore())

    async def announced() -> str:
        await house.announce(stages=ARENA, time=TIME)
        (answer,) = await house.enter("Ana")
        return str(answer.token)

    token = asyncio.run(announced())
    with served(Bounds(writes_per_s=100_000), events=house) as service:
        looks = service.parts.looks
        assert not looks.has_seen(own_card(house.id, 1))
        answer = service.client.get(f"/api/v1/tournaments/{house.id}/me", headers=bearer(token))
        assert answer.status_code == 200
        assert looks.has_seen(own_card(house.id, 1))


def test_nobody_is_idle_on_a_ladder_where_nobody_says_that_they_wait() -> None:
    event = LadderEvent()
    event.end(event.meet(3, 2), 3)
    assert list(people_idle(event.tournament)) == []
