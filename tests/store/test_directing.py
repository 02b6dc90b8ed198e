"""A director goes on with what lives at one database while another is away, and with all of it when it is back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar
from uuid import UUID

import pytest
import pytest_asyncio
from structlog.testing import capture_logs

from domain import commands as of_matches
from domain.match.record import stream_of as stream_of_match
from domain.tournaments import commands
from domain.tournaments.pairing import lots
from domain.tournaments.record import stream_of
from infra.store import Unavailable, shard_of
from infra.store.postgres import PostgresStore
from infra.store.primaries.opening import open_house
from services.matches.reads.queries import UnknownMatch
from services.matches.secrets.tokens import TokenIssuer
from services.program.site import HouseTournaments
from services.tournaments.screening.screener import Screener
from services.tournaments.tables import open_tables
from tests.bots.test_player import working
from tests.director.house import DICE, EventHouse, Nap
from tests.director.test_boards import MATCH
from tests.director.test_tables import PAIRS, TIME
from tests.store.test_away import Way

Found = TypeVar("Found")
ON = {**TIME, "claims_ms": 0}
"""Times of an event that goes on as soon as a round is over."""
BOUND_S = 60
ANNOUNCED_MAX = 1_000
"""One of 32 events lies as it is wanted: so many that do not have not been seen."""


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


async def announced(house: EventHouse, fits: Callable[[UUID], bool], name: str = "pods", **members: Any) -> UUID:
    """Announce an event that lies so."""
    told = {"stages": PAIRS["stages"], "time": TIME, "entry": {"bots": "labelled"}, **members}
    for _ in range(ANNOUNCED_MAX):
        await house.announce(name, **told)
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


def has_round_two_at_home(event: UUID) -> bool:
    """Report whether an event is at home with all tables but the first of its first round."""
    second = [stream_of_match(UUID(lots.match_id(str(event), 1, 2, table, 1))) for table in (1, 2)]
    return has_a_table_at_each(event) and all(map(is_at_home, second))


@pytest.mark.long
async def test_a_table_that_an_official_has_ruled_on_is_stopped_once_it_is_back_and_its_event_goes_on_before(
    database: str, two: PostgresStore, beyond: PostgresStore, way: Way
) -> None:
    house, stages = EventHouse(two), [{**PAIRS["stages"][0], "rounds": 2}]
    event = await announced(house, has_round_two_at_home, stages=stages, time=ON)
    await house.enter("Ana", "Bob", "Cyd", "Dan")
    await house.check_in()
    tables = HouseTournaments(EventHouse(beyond).tournaments, EventHouse(beyond).matches)
    names = [str(place(event, table)) for table in (1, 2)]
    async with working(*house.works(), house.director(beyond).run()):
        await until(lambda: is_started(house, event))
        assert list(await tables.awaited(names)) == names
        await asyncio.to_thread(way.cut, database)
        await until(lambda: answers(two, event))
        for table in (1, 2):
            ranking = tuple((number,) for number in (await paired(house, 1))[table])
            await house.do(commands.Rule(by=house.host, stage=1, round=1, table=table, ranking=ranking))
        await until(lambda: is_started(house, event, 2))
        for asked in (tables.awaited, tables.rankings, tables.seen):
            assert list(await asked(names)) == names[1:]
        assert not await is_stopped(house, 1)
        way.open()
        await until(lambda: is_stopped(house, 1))


async def is_stopped(house: EventHouse, table: int) -> bool:
    return (await house.matches.load_match(place(house.id, table))).match.ended


async def paired(house: EventHouse, number: int) -> dict[int, tuple[int, ...]]:
    """Return who sits where in a round of the event that was announced last."""
    return {at: table.seats for at, table in (await house.tournament()).stages[0].rounds[number].tables.items()}


# ---- boards -----------------------------------------------------------------------------------


def has_a_table_of_its_second_board_at_each(event: UUID) -> bool:
    """Report whether an event, and the second board of it, are at home with one of the tables of that, and no more."""
    first, second = (f"board/{lots.board_id(str(event), 1, number, 1)}" for number in (1, 2))
    tables = [stream_of_match(at_board(event, table)) for table in (1, 2)]
    places = [is_at_home(each) for each in (stream_of(event), first, second, *tables)]
    return places == [True, False, True, True, False]


def at_board(event: UUID, table: int) -> UUID:
    """Return the match of a table of the second round."""
    return UUID(lots.match_id(str(event), 1, 2, table, 1))


async def dealt(house: EventHouse) -> list[bool]:
    """Report of each table of the second board whether it knows its dice."""
    found = [(await house.matches.load_match(at_board(house.id, table))).match for table in (1, 2)]
    return [match.ceremony is not None for match in found]


@pytest.mark.long
async def test_a_table_of_a_board_is_told_of_its_dice_while_another_and_an_earlier_board_are_away(
    database: str, two: PostgresStore, beyond: PostgresStore, way: Way
) -> None:
    house = EventHouse(two)
    stages = [{"format": "duplicate", "rounds": 2, "size": 2}]
    told = {"stages": stages, "time": ON, "match": MATCH}
    event = await announced(house, has_a_table_of_its_second_board_at_each, "duplicate", **told)
    await house.enter_bots(4)
    await house.check_in()
    async with working(*house.works(), house.director().run()):
        await until(lambda: is_started(house, event))
    async with working(house.director().run()):
        for table, seats in (await paired(house, 1)).items():
            ranking = tuple((number,) for number in seats)
            await house.do(commands.Rule(by=house.host, stage=1, round=1, table=table, ranking=ranking))
        await until(lambda: is_started(house, event, 2))
    await asyncio.to_thread(way.cut, database)
    async with working(*house.works(), house.director(beyond).run()):
        await until(lambda: equals(dealt(house), [True, False]))
        way.open()
        await until(lambda: equals(dealt(house), [True, True]))


# ---- screening --------------------------------------------------------------------------------


@pytest.mark.long
async def test_an_event_is_screened_while_another_one_is_away_and_that_one_once_it_is_back(
    database: str, two: PostgresStore, beyond: PostgresStore, way: Way
) -> None:
    house, held = EventHouse(two), list[UUID]()
    stages = [{"format": "swiss", "rounds": 1, "sizes": {"preferred": 4, "min": 3, "max": 4}}]
    for fits in (is_wholly_elsewhere, is_wholly_at_home):
        held.append(await announced(house, fits, stages=stages))
        await house.enter_bots(4)
        await house.check_in()
    there, here = held
    async with working(*house.works(), house.director().run()):
        await until(lambda: are_played(house, held))
    await asyncio.to_thread(way.cut, database)
    screener = Screener(beyond, beyond, EventHouse(beyond).tournaments, TokenIssuer(bytes(32)), Nap())
    async with working(screener.run()):
        await until(lambda: is_screened(two, here))
        assert not await is_screened(two, there)
        way.open()
        await until(lambda: is_screened(two, there))


def is_wholly_at_home(event: UUID) -> bool:
    """Report whether an event of one table and that table are at home."""
    return is_at_home(stream_of(event)) and is_at_home(stream_of_match(place(event, 1)))


def is_wholly_elsewhere(event: UUID) -> bool:
    return not is_at_home(stream_of(event)) and not is_at_home(stream_of_match(place(event, 1)))


async def are_played(house: EventHouse, events: list[UUID]) -> bool:
    found = [(await house.tournaments.load(event)).tournament.stages for event in events]
    rounds = [each.rounds.get(1) for stages in found for each in stages]
    return len(rounds) == len(events) and all(one is not None and one.closed_at is not None for one in rounds)


async def is_screened(store: PostgresStore, event: UUID) -> bool:
    return await store.screening(stream_of(event)) is not None


# ---- bots -------------------------------------------------------------------------------------


@pytest.mark.long
async def test_bots_ask_no_more_for_turns_that_are_away_until_they_are_back(
    database: str, two: PostgresStore, beyond: PostgresStore, way: Way
) -> None:
    house, match = EventHouse(two), {**DICE, "options": {"dice_per_player": 5}}
    event = await announced(house, is_wholly_elsewhere, match=match)
    await house.enter_bots(2)
    await house.check_in()

    async def is_played(versions: int) -> bool:
        with suppress(UnknownMatch):
            found = (await house.matches.load_match(place(event, 1))).match
            return found.ended or found.version > versions
        return False

    async with working(*EventHouse(beyond).works(), house.director().run()):
        await until(lambda: is_played(20))
        with capture_logs() as told:
            await asyncio.to_thread(way.cut, database)
            await asyncio.sleep(2.5)
        version = (await house.matches.load_match(place(event, 1))).match.version
        way.open()
        await until(lambda: is_played(version))
    assert {one["event"] for one in told} & {"bots.again", "match.stuck"} == set()


# ---- what is asked ----------------------------------------------------------------------------


async def equals(found: Awaitable[list[Found]], wanted: list[Found]) -> bool:
    return await found == wanted


async def is_started(house: EventHouse, event: UUID, number: int = 1) -> bool:
    stage = (await house.tournaments.load(event)).tournament.stage
    return stage is not None and number in stage.rounds and stage.rounds[number].started_at is not None


async def answers(store: PostgresStore, event: UUID) -> bool:
    return bool(await store.read(stream_of(event)))
