"""Troubles of a director: a table whose place is taken, a round that cannot be paired; officials mend both."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import count
from uuid import UUID

import pytest

from domain.tournaments import commands
from domain.tournaments.pairing import lots
from domain.tournaments.record import stream_of, tournament_of
from domain.tournaments.tournament import Tournament
from infra.store import Append, Appended
from infra.store.memory import MemoryStore
from services.dealer.director import NAME
from services.dealer.steps import TournamentSteps
from services.http.bounds import Bounds
from services.matches.chance import NO_CHANCE
from services.matches.requests import CommandMetadata
from services.tournaments.tables import open_tables
from services.tournaments.ways.due import DueDecisions
from services.work import failures
from services.work.failures import Stuck
from services.work.worker import WorkerLost
from tests.api.conftest import bearer, served
from tests.bots.test_player import working
from tests.director.house import EventHouse
from tests.director.test_director import begun, until_closed
from tests.director.test_refusals import check_refused
from tests.director.test_tables import PAIRS, PATIENCE_S, TIME
from tests.failing import Failing


async def taken_place(house: EventHouse) -> tuple[UUID, dict[str, str]]:
    """Begin a tournament whose second table has its place taken; return that place, and tokens of people."""
    await house.announce(stages=PAIRS["stages"], time=TIME)
    entrants = await house.enter("Ana", "Bob", "Cyd", "Dan")
    arbiter = await house.tournaments.appoint(house.id, house.host, "arbiter", house.ask())
    await house.check_in()
    place = UUID(lots.match_id(str(house.id), 1, 1, 2, 1))
    other = await house.matches.open({"game": "common_hand", "options": {}}, house.ask())
    first = (await house.store.read(f"match/{other.match}"))[0].replace(other.match.encode(), str(place).encode())
    appended = await house.store.append(Append(f"match/{place}", 0, (first,), b"c" * 32, b"f" * 32, b"{}"))
    assert isinstance(appended, Appended)
    return place, {"arbiter": str(arbiter.token), "Ana": str(entrants[0].token)}


async def direct_until_stuck(house: EventHouse) -> None:
    stuck = Stuck()
    director = house.director(stuck=stuck)
    async with working(*house.works()), asyncio.timeout(PATIENCE_S):
        await director.begin()
        while await stuck.notice() is None:
            await director.round()
            await asyncio.sleep(0.005)
    assert "1 matches" in (await stuck.notice() or "")
    assert not any(at.table.started for at in open_tables(await house.tournament()))


def test_officials_are_told_of_the_table_and_take_it_back() -> None:
    house = EventHouse(MemoryStore())

    async def begun() -> tuple[UUID, dict[str, str]]:
        found = await taken_place(house)
        await direct_until_stuck(house)
        return found

    place, tokens = asyncio.run(begun())
    with served(Bounds(writes_per_s=100_000), events=house) as service:
        path, official = f"/api/v1/tournaments/{house.id}/troubles", bearer(tokens["arbiter"])
        assert service.client.get(path, headers=official).json() == [
            {"stage": 1, "round": 1, "table": 2, "match": str(place), "why": "another_match"}
        ]
        check_refused(service.client.get(path), 401, "no_token")
        check_refused(service.client.get(path, headers=bearer(tokens["Ana"])), 403, "not_an_official")
        asyncio.run(started_after_all(house))
        assert service.client.get(path, headers=official).json() == []


async def too_few(house: EventHouse) -> dict[str, str]:
    """Go on until a round of pods waits for two who are left."""
    pods = {"format": "swiss", "sizes": {"preferred": 3, "min": 3, "max": 3}}
    await house.announce(stages=[pods], time={**TIME, "start": "host"})
    await house.enter("Ana", "Bob", "Cyd")
    arbiter = await house.tournaments.appoint(house.id, house.host, "arbiter", house.ask())
    await house.check_in()
    async with working(*house.works(), house.director().run()), asyncio.timeout(PATIENCE_S):
        while (await house.tournament()).phase != "running":
            await asyncio.sleep(0.005)
    await house.do(commands.Withdraw(by=house.host, number=3, reason="request"))
    return bearer(str(arbiter.token))


def test_officials_are_told_of_a_round_that_cannot_be_paired_and_pair_it_by_hand() -> None:
    house = EventHouse(MemoryStore())
    official = asyncio.run(too_few(house))
    with served(Bounds(writes_per_s=100_000), events=house) as service:
        path = f"/api/v1/tournaments/{house.id}/troubles"
        for _ in range(2):
            assert service.client.get(path, headers=official).json() == [
                {"why": "cannot_pair", "stage": 1, "round": 1, "pairs": [], "sizes": [3], "entrants": [1, 2]}
            ]
        asyncio.run(house.do(commands.FixTables(by=house.host, tables=((2, 1),), reason="technical")))
        assert service.client.get(path, headers=official).json() == []
        asyncio.run(house.do(commands.Proceed(by=house.host, chance=NO_CHANCE)))
        assert (asyncio.run(house.tournament())).stages[0].rounds[1].tables[1].seats == (2, 1)


async def started_after_all(house: EventHouse) -> None:
    """Take the table back, seat the same two there, and go on until everybody has a match."""
    seats = next(at.seats for at in open_tables(await house.tournament()) if at.table.number == 2)
    await house.do(commands.Unpair(by=house.host, tables=(2,), reason="technical"))
    await house.do(commands.FixTables(by=house.host, tables=(seats,), reason="technical"))
    async with working(*house.works(), house.director().run()), asyncio.timeout(PATIENCE_S):
        while not all(at.table.started for at in open_tables(await house.tournament())):
            await asyncio.sleep(0.005)
    assert [at.table.attempt for at in open_tables(await house.tournament())] == [1, 2]


def proceeds(_self: object, _tournament: object, command: object, *_more: object) -> bool:
    return isinstance(command, commands.Proceed)


@pytest.mark.parametrize("step", [0, 7])
async def test_a_step_of_a_tournament_that_there_was_no_room_for_is_done_later(
    monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    monkeypatch.setattr(failures, "AGAIN_MS", 50)
    house, stuck, failing = EventHouse(MemoryStore()), Stuck(), Failing()

    def is_that_step(*given: object) -> bool:
        failing.left = 1 if proceeds(*given) and failing.tried == step else 0
        return proceeds(*given)

    monkeypatch.setattr(DueDecisions, "decide", failing.instead_of(DueDecisions.decide, is_that_step))
    async with working(*house.works(), house.director(stuck=stuck).run()):
        await begun(house, 3, entry={"bots": "only"})
        await until_closed(house)
    assert failing.tried > step + 1
    assert await stuck.notice() is None


async def test_a_match_that_there_was_no_room_to_look_at_is_looked_at_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failures, "AGAIN_MS", 50)
    house, failing = EventHouse(MemoryStore()), Failing(10_000)
    look = failing.instead_of(TournamentSteps.look_at_match)
    monkeypatch.setattr(TournamentSteps, "look_at_match", look)
    async with working(*house.works(), house.director().run()):
        await begun(house, 3, entry={"bots": "only"})
        await until_closed(house)
    assert failing.tried > 0


async def test_a_tournament_whose_pairing_ends_its_process_keeps_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    store, stuck = MemoryStore(), Stuck()
    houses = EventHouse(store), EventHouse(store)
    for house, asked in zip(houses, ("first", "second"), strict=True):
        monkeypatch.setattr(house, "ask", numbered(asked))
        await begun(house, 3, entry={"bots": "only"})
    # A director looks at them in the order in which they are listed.
    first = tournament_of((await houses[0].tournaments.open_streams())[0])
    lost, other = sorted(houses, key=lambda house: house.id != first)
    failing = Failing(1_000_000, WorkerLost("the process that does this has ended"))

    def is_of_lost(_self: object, tournament: Tournament, command: object, *_more: object) -> bool:
        return tournament.id == lost.id and isinstance(command, commands.Proceed)

    monkeypatch.setattr(DueDecisions, "decide", failing.instead_of(DueDecisions.decide, is_of_lost))
    async with working(*lost.works(), lost.director(stuck=stuck).run()):
        await until_closed(other)
        assert stuck.is_stuck(NAME, stream_of(lost.id))
        assert failing.tried == 1


def numbered(asked: str) -> Callable[[], CommandMetadata]:
    """Return what names each request anew, and none as another house does."""
    numbers = count()
    return lambda: CommandMetadata("test", f"{asked}-{next(numbers)}", b"")
