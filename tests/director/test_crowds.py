"""Crowds: commands that come to one tournament at once are decided one on the other and stored as one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, cast

import pytest

from domain.errors import Refused
from domain.log import canonical
from domain.tournaments import commands
from domain.tournaments.record import stream_of
from infra.store import Append, Outcome, Recorded
from infra.store.memory import MemoryStore
from infra.store.postgres import PostgresStore, open_store
from services.matches.requests import CommandMetadata, KeyUsed, VersionPassed
from services.tournaments.requests import TournamentAnswer
from tests.director.house import EventHouse
from tests.sizes import cases


class Crowded(MemoryStore):
    """A store that takes a moment, so that others come meanwhile; it counts what is sent at once.

    So many times somebody else is quicker than a chain.
    """

    def __init__(self, quicker: int = 0) -> None:
        super().__init__()
        self.sent: list[int] = []
        self.elsewhere = EventHouse(self)
        self._quicker = quicker

    async def append(self, append: Append) -> Outcome:
        await asyncio.sleep(0)
        return await super().append(append)

    async def append_chain(self, chain: Sequence[Append]) -> list[Outcome]:
        self.sent.append(len(chain))
        if self._quicker > 0:
            self._quicker -= 1
            quicker = commands.Forbid(by=self.elsewhere.host, numbers=(1, 2 + self._quicker), reason="conduct")
            ask = CommandMetadata("elsewhere", str(self._quicker), b"")
            await self.elsewhere.tournaments.submit(self.elsewhere.id, quicker, ask)
        return await super().append_chain(chain)


@pytest.fixture
def crowd() -> EventHouse:
    return EventHouse(Crowded())


async def entered(house: EventHouse, people: int) -> list[TournamentAnswer]:
    """Return who is in a tournament whose check-in is open."""
    await house.announce(entry={"min": 2, "max": 4_096})
    answers = await house.enter(*(f"Player {number}" for number in range(people)))
    await house.do(commands.OpenCheckIn(by=house.host))
    return answers


def there(house: EventHouse, who: TournamentAnswer, key: str | None = None) -> Any:
    """Let somebody say to be there."""
    assert who.by is not None
    assert who.number is not None
    ask = house.ask() if key is None else CommandMetadata("test", key, b"")
    return house.tournaments.submit(house.id, commands.CheckIn(by=who.by, number=who.number), ask)


async def test_a_crowd_is_stored_in_the_order_it_came_each_with_a_line_and_an_answer_of_its_own() -> None:
    house = EventHouse(store := Crowded())
    people = await entered(house, 12)
    before = (await house.tournament()).version
    answers = await asyncio.gather(*(there(house, who) for who in people))
    assert store.sent == [11], "the first was alone when it came"
    assert [answer.version for answer in answers] == list(range(before + 1, before + 13))
    lines = (await store.read(stream_of(house.id)))[before:]
    assert [canonical.head(line) for line in lines] == [answer.head for answer in answers]
    assert [canonical.decode(line)["data"]["number"] for line in lines] == [who.number for who in people]
    assert len({canonical.decode(line)["at"] for line in lines}) == 12, "each has a time of its own"
    house.forget()
    assert all(entrant.here for entrant in (await house.tournament()).entrants.values())


async def test_a_conflict_costs_a_crowd_one_try_and_nobody_an_answer() -> None:
    house = EventHouse(store := Crowded(quicker=2))
    people = await entered(house, 9)
    store.elsewhere.id, store.elsewhere.host = house.id, house.host
    before = (await house.tournament()).version
    answers = await asyncio.gather(*(there(house, who) for who in people))
    assert store.sent == [8, 8, 8]
    assert [answer.version for answer in answers] == [before + 1, *range(before + 4, before + 12)]


async def test_a_refusal_in_a_crowd_is_of_one_and_knows_those_before_it(crowd: EventHouse) -> None:
    people = await entered(crowd, 4)
    said = await asyncio.gather(*(there(crowd, who) for who in people), there(crowd, people[0]), return_exceptions=True)
    assert all(isinstance(each, TournamentAnswer) for each in said[:4])
    refused = said[4]
    assert isinstance(refused, Refused)
    again = await asyncio.gather(*(there(crowd, who) for who in people), return_exceptions=True)
    assert {each.code for each in again if isinstance(each, Refused)} == {refused.code}
    assert len(again) == 4


async def test_two_of_one_name_who_enter_at_once_are_told_apart(crowd: EventHouse) -> None:
    await crowd.announce()
    await crowd.do(commands.OpenEntry(by=crowd.host))
    names = ("Ana", "Bob", "ana")
    said = await asyncio.gather(
        *(crowd.tournaments.register(crowd.id, None, name, crowd.ask()) for name in names), return_exceptions=True
    )
    assert [isinstance(each, TournamentAnswer) for each in said] == [True, True, False]
    assert isinstance(said[2], Refused)
    assert said[2].code == "name_taken"
    assert len((await crowd.tournament()).entrants) == 2


async def test_repeats_in_a_crowd_get_the_answer_that_was_stored(crowd: EventHouse) -> None:
    people = await entered(crowd, 4)
    first = await there(crowd, people[0], "once")
    twice = await asyncio.gather(
        *(there(crowd, people[0], "once") for _ in range(2)), *(there(crowd, who) for who in people[1:])
    )
    assert twice[:2] == [first, first]
    other = CommandMetadata("test", "once", b"another request")
    said = await asyncio.gather(
        crowd.tournaments.submit(crowd.id, commands.PauseTournament(by=crowd.host, reason="technical"), other),
        crowd.do(commands.Forbid(by=crowd.host, numbers=(1, 2), reason="conduct")),
        return_exceptions=True,
    )
    assert isinstance(said[0], KeyUsed)
    assert isinstance(said[1], TournamentAnswer)
    assert not (await crowd.tournament()).paused


async def test_repeats_that_come_before_the_first_is_stored_get_its_answer_whoever_is_quicker_elsewhere() -> None:
    house = EventHouse(store := Crowded(quicker=1))
    people = await entered(house, 6)
    store.elsewhere.id, store.elsewhere.host = house.id, house.host
    before = (await house.tournament()).version
    warned = commands.Penalise(by=house.host, number=6, kind="warning", reason="conduct")
    once = CommandMetadata("test", "once", b"")
    said = await asyncio.gather(
        *(there(house, who) for who in people[:3]),
        *(house.tournaments.submit(house.id, warned, once) for _ in range(3)),
        *(there(house, who) for who in people[3:]),
    )
    assert said[3] == said[4] == said[5]
    lines = (await store.read(stream_of(house.id)))[before:]
    kinds = [canonical.decode(line)["type"] for line in lines]
    assert kinds.count("penalty.imposed") == 1
    assert len(lines) == 8, "six are there, one was warned, and somebody was quicker elsewhere"
    assert {answer.head for answer in said} <= {canonical.head(line) for line in lines}, "each answer is on record"


async def test_of_two_that_are_meant_for_one_version_the_second_has_come_too_late(crowd: EventHouse) -> None:
    await entered(crowd, 4)
    version = (await crowd.tournament()).version
    said = await asyncio.gather(
        *(
            crowd.tournaments.submit(
                crowd.id,
                commands.Forbid(by=crowd.host, numbers=(1, other), reason="conduct"),
                crowd.ask(expected=(version,)),
            )
            for other in (2, 3)
        ),
        return_exceptions=True,
    )
    assert isinstance(said[0], TournamentAnswer)
    assert isinstance(said[1], VersionPassed)
    assert said[1].version == version + 1


async def test_a_fault_of_ours_in_a_crowd_is_told_to_whom_it_meets_alone(crowd: EventHouse) -> None:
    people = await entered(crowd, 3)
    strange = cast("commands.AnyCommand", object())
    said = await asyncio.gather(
        crowd.tournaments.submit(crowd.id, strange, crowd.ask()),
        *(there(crowd, who) for who in people),
        return_exceptions=True,
    )
    assert isinstance(said[0], Exception)
    assert all(isinstance(each, TournamentAnswer) for each in said[1:])


async def test_whoever_goes_before_the_turn_comes_has_asked_for_nothing(crowd: EventHouse) -> None:
    people = await entered(crowd, 3)
    asked = [asyncio.create_task(there(crowd, who)) for who in people]
    await asyncio.sleep(0)
    asked[1].cancel()
    await asyncio.gather(*asked, return_exceptions=True)
    here = [number for number, entrant in (await crowd.tournament()).entrants.items() if entrant.here]
    assert here == [1, 3]


async def test_a_crowd_over_two_programs_is_let_in_without_a_refusal(database: str, postgres: PostgresStore) -> None:
    other = await open_store(database, "truecup_dealer")
    here, elsewhere = EventHouse(postgres), EventHouse(other)
    people = await entered(here, cases(60, 1_000))
    elsewhere.id, elsewhere.host = here.id, here.host
    commits: list[Sequence[Recorded]] = []
    postgres.on_commit = other.on_commit = lambda _shard, lines: commits.append(lines)

    async def connection(number: int) -> None:
        for who in people[number::50]:
            await there((here, elsewhere)[number % 2], who, f"there/{who.number}")

    await asyncio.gather(*(connection(number) for number in range(50)))
    assert all(entrant.here for entrant in (await here.tournament()).entrants.values())
    told = [line for lines in commits for line in lines]
    assert len(told) == len(people)
    assert len(commits) < len(told) / 2, "they share commits"
    await other.close()
