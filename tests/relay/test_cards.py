"""Cards of entrants over the bus: for whom somebody listens, whenever they are others, and nothing opens a seat."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import nats
import pytest
from nats.aio.client import Client

from domain.tournaments import commands
from infra.feed import ListenedSeat
from infra.feed.memory import MemoryFeed
from infra.feed.nats import NatsFeed
from infra.store import Unavailable
from infra.store.memory import MemoryStore
from projections.tournaments.cards import card_of
from projections.tournaments.exports.card_frames import CardFrame
from services.matches.audience import Audience, AudiencePace
from services.relay.card_teller import CardTeller
from tests.director.house import EventHouse
from tests.relay.conftest import Bus
from tests.relay.playing import running, until

OPENS = re.compile(rb"truecup_[a-z]+_|\"(?:token|ready|drawer|awaits|seed|secret)\"")
"""What no card says: tokens, and what only its own reader is told."""


class Told:
    """A tournament with two entrants, and what is told of their cards."""

    def __init__(self, feed: Any = None) -> None:
        self.house = EventHouse(MemoryStore())
        self.feed = feed or MemoryFeed()
        self.audience = Audience(self.feed, AudiencePace(tell_s=0.02, lapse_s=60, answer_s=0.0))
        self.teller = CardTeller(self.house.store, self.feed, self.audience)
        self.heard: list[dict[str, Any]] = []
        self.players: list[str] = []
        self._positions: dict[int, int] = {}

    async def begin(self, *numbers: int) -> None:
        await self.house.announce()
        self.players = [str(one.by) for one in await self.house.enter("Ana", "Bob")]
        for number in numbers:
            await self.feed.listen(str(self.house.id), number, self._hear)
        listened: list[ListenedSeat] = [(str(self.house.id), number) for number in numbers]
        await self.feed.attend(listened)
        self._positions = {shard: await self.teller.start(shard) for shard in range(8)}

    def _hear(self, _version: int, body: bytes) -> None:
        self.heard.append(msgspec.json.decode(body))

    async def go_on(self) -> None:
        """Let the teller take what has been stored."""
        for shard, position in self._positions.items():
            page = await self.house.store.follow(shard, position, 1_000)
            if page:
                self._positions[shard] = await self.teller.take(shard, page)

    async def try_again(self) -> None:
        """Let the teller tell what it could not."""
        for shard, position in self._positions.items():
            await self.teller.try_again(shard, position)


async def test_a_card_is_told_whenever_it_is_another_and_only_to_who_listens() -> None:
    told = Told()
    async with running(told.audience.run()):
        await asyncio.sleep(0.05)
        await told.begin(1)
        await told.house.do(commands.OpenCheckIn(by=told.house.host))
        await told.go_on()
        assert [(each["card"]["number"], each["card"]["now"]) for each in told.heard] == [(1, "check_in")]
        await told.house.do(commands.CheckIn(by=told.players[1], number=2, draws=False))
        await told.go_on()
        assert len(told.heard) == 1, "what Bob did is no news for Ana"
        await told.house.do(commands.CheckIn(by=told.players[0], number=1, draws=False))
        await told.go_on()
        last, tournament = told.heard[-1], await told.house.tournament()
        assert len(told.heard) == 2
        frame = CardFrame(last["version"], card_of(tournament, await told.house.tournaments.names(tournament), 1))
        assert msgspec.json.encode(last) == msgspec.json.encode(frame)


async def test_nobody_is_told_of_who_is_not_listened_for_and_a_bus_that_is_away_holds_nothing_up() -> None:
    told = Told()
    async with running(told.audience.run()):
        await asyncio.sleep(0.05)
        await told.begin()
        await told.house.do(commands.OpenCheckIn(by=told.house.host))
        await told.go_on()
        assert told.heard == []

        class Away(MemoryFeed):
            tried: tuple[Any, ...] = ()

            async def tell(self, *args: Any, **_: Any) -> None:
                self.tried = args
                raise Unavailable("the bus is away")

        away = Told(bus := Away())
        async with running(away.audience.run()):
            await asyncio.sleep(0.05)
            await away.begin(1, 2)
            await away.house.do(commands.OpenCheckIn(by=away.house.host))
            await away.go_on()
            assert bus.tried[:2] == (str(away.house.id), 2)


@pytest.fixture
async def feeds(bus: Bus) -> AsyncIterator[tuple[NatsFeed, Client]]:
    feed, ear = await bus.feed(), await nats.connect(bus.url)
    yield feed, ear
    await ear.close()


async def test_on_the_bus_a_card_opens_nothing_and_a_planted_token_would_be_found(
    feeds: tuple[NatsFeed, Client],
) -> None:
    feed, ear = feeds
    heard: list[tuple[str, dict[str, str] | None, bytes]] = []

    async def keep(message: Any) -> None:
        heard.append((message.subject, message.headers, message.data))

    await ear.subscribe("truecup.entrant.>", cb=keep)
    await ear.flush()
    told = Told(feed)
    async with running(told.audience.run()):
        await asyncio.sleep(0.1)
        await told.begin(2)
        await until(lambda: told.audience.known_at(str(told.house.id)) == {2})
        await told.house.do(commands.OpenCheckIn(by=told.house.host))
        await told.go_on()
        await until(lambda: len(heard) == 1)
        ((subject, headers, body),) = heard
        assert subject == f"truecup.entrant.{told.house.id}.2"
        assert headers is not None
        assert headers["ce-source"] == f"/tournaments/{told.house.id}"
        assert OPENS.search(body) is None
        await feed.tell(str(told.house.id), 2, 9, b'{"card":{},"token":"truecup_seat_x"}', "entrant")
        await until(lambda: len(heard) == 2)
        assert OPENS.search(heard[-1][2]) is not None
