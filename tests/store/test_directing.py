"""A director goes on with what lives at one database while another is away, and with all of it when it is back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from uuid import UUID

import pytest
import pytest_asyncio

from domain import commands as of_matches
from domain.match.record import stream_of as stream_of_match
from domain.tournaments import commands
from domain.tournaments.pairing import lots
from domain.tournaments.record import stream_of
from infra.store import Unavailable, shard_of
from infra.store.postgres import PostgresStore
from infra.store.primaries.opening import open_house
from services.tournaments.tables import open_tables
from tests.bots.test_player import working
from tests.director.house import EventHouse
from tests.director.test_tables import PAIRS, TIME
from tests.store.test_away import Way

BOUND_S = 60
ANNOUNCED_MAX = 300
"""One of eight events lies as it is wanted: so many that do not have not been seen."""


@pytest_asyncio.fixture
async def beyond(database: str, way: Way) -> AsyncIterator[PostgresStore]:
    """Return a house whose way to the second database may be cut."""
    way.open()
    store = await open_house(database, way.settings, "truecup_dealer")
    yield store
    await store.close()


@pytest.fixture
def way(second: str, tmp_path_factory: pytest.TempPathFactory) -> Way:
    return Way(second, tmp_path_factory.mktemp("w"))


def is_at_home(stream: str) -> bool:
    return shard_of(stream) % 2 == 0


def place(event: UUID, table: int) -> UUID:
    """Return the match of a table of the first round."""
    return UUID(lots.match_id(str(event), 1, 1, table, 1))


async def announced(house: EventHouse, fits: Callable[[UUID], bool]) -> UUID:
    for _ in range(ANNOUNCED_MAX):
        await house.announce(stages=PAIRS["stages"], time=TIME, entry={"bots": "labelled"})
        if fits(house.id):
            return house.id
    raise AssertionError("all events lie elsewhere")


def has_a_table_at_each(event: UUID) -> bool:
    """Report whether an event is at home, its first table is not, and its second one is."""
    first, second = (stream_of_match(place(event, table)) for table in (1, 2))
    return is_at_home(stream_of(event)) and not is_at_home(first) and is_at_home(second)


async def until(true: Callable[[], Awaitable[bool]]) -> None:
    """Wait for something; a database that was just cut off answers again soon."""
    async with asyncio.timeout(BOUND_S):
        while True:
            with suppress(Unavailable):
                if await true():
                    return
            await asyncio.sleep(0.01)


async def are_here(house: EventHouse, event: UUID) -> bool:
    """Report whether the bots of an event have checked in, which nobody but a director does for them."""
    return all(one.here for one in (await house.tournaments.load(event)).tournament.entrants.values())


async def awaited(house: EventHouse) -> list[int]:
    """Return the tables of the event that was announced last that have no result."""
    return [each.table.number for each in open_tables(await house.tournament())]


async def give_up(house: EventHouse, table: int) -> None:
    """Let two be at a table, and one of them leave the event: a director alone says so at the table."""
    for seat in (1, 2):
        await house.matches.submit(place(house.id, table), of_matches.SayReady(seat), house.ask())
    (at,) = (each for each in open_tables(await house.tournament()) if each.table.number == table)
    await house.do(commands.Withdraw(by=house.host, number=at.seats[0], reason="request"))


@pytest.mark.long
async def test_a_director_goes_on_beside_what_is_away_and_with_that_when_it_is_back(
    database: str, two: PostgresStore, beyond: PostgresStore, way: Way
) -> None:
    house, hosts = EventHouse(two), dict[UUID, str]()
    for fits in (lambda event: is_at_home(stream_of(event)), lambda event: not is_at_home(stream_of(event))):
        event = await announced(house, fits)
        await house.enter_bots(2)
        hosts[event] = house.host
    here, there = hosts
    played = await announced(house, has_a_table_at_each)
    await house.enter("Ana", "Bob", "Cyd", "Dan")
    await house.check_in()
    async with working(*house.works(), house.director(beyond).run()):
        await until(lambda: is_started(house, played))
        await asyncio.to_thread(way.cut, database)
        await until(lambda: answers(two, there))
        await house.tournaments.submit(there, commands.OpenCheckIn(by=hosts[there]), house.ask())
        await give_up(house, 1)
        await give_up(house, 2)
        await until(lambda: equals(awaited(house), [1]))
        await house.tournaments.submit(here, commands.OpenCheckIn(by=hosts[here]), house.ask())
        await until(lambda: are_here(house, here))
        assert not await are_here(house, there)
        assert await awaited(house) == [1]
        way.open()
        await until(lambda: are_here(house, there))
        await until(lambda: equals(awaited(house), []))


async def equals(found: Awaitable[list[int]], wanted: list[int]) -> bool:
    return await found == wanted


async def is_started(house: EventHouse, event: UUID) -> bool:
    stage = (await house.tournaments.load(event)).tournament.stage
    return stage is not None and stage.last is not None and stage.last.started_at is not None


async def answers(store: PostgresStore, event: UUID) -> bool:
    return bool(await store.read(stream_of(event)))
