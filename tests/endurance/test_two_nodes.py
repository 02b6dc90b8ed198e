"""Two nodes on one database, and a hundred people who ask both for the same thing at once: one of them gets it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from services.audit.verdict import verdict_of
from tests.crash.conftest import Lasting
from tests.endurance.nodes import Nodes, Person, by_status, opened, turn
from tests.endurance.playing import Hall

pytestmark = pytest.mark.long

PEOPLE = 100
SEATS = 10
TURNS = 12
KILLS = 6
BETWEEN = 30
"""Commands that are acknowledged between two kills at least."""


@pytest_asyncio.fixture
async def nodes(lasting: Lasting, tmp_path: Path) -> AsyncIterator[Nodes]:
    both = Nodes(lasting, tmp_path)
    await asyncio.to_thread(both.start)
    yield both
    await asyncio.to_thread(both.stop)


@pytest_asyncio.fixture
async def people(nodes: Nodes) -> AsyncIterator[list[Person]]:
    urls = nodes.urls()
    crowd = [Person(urls, number) for number in range(PEOPLE)]
    yield crowd
    await asyncio.gather(*(person.close() for person in crowd))


async def seated(people: list[Person], path: str, seats: int) -> dict[int, Person]:
    """Let everybody ask for a seat at once, and return who has which."""
    answers = await asyncio.gather(
        *(person.ask("POST", f"{path}/seats", {"name": f"P{person.number}"}) for person in people)
    )
    found = by_status(answers)
    assert {status: len(some) for status, some in found.items()} == {201: seats, 409: len(people) - seats}
    assert {answer.json()["code"] for answer in found[409]} == {"too_many_players"}
    sat: dict[int, Person] = {}
    for person, answer in zip(people, answers, strict=True):
        if answer.status_code == 201:
            person.token = answer.json()["token"]
            sat[answer.json()["seat"]] = person
    assert sorted(sat) == list(range(1, seats + 1))
    return sat


async def test_a_hundred_ask_for_ten_seats_and_for_every_turn(people: list[Person]) -> None:
    path = await opened(people[0], SEATS)
    sat = await seated(people[1:], path, SEATS)
    (await people[0].ask("POST", f"{path}/start")).raise_for_status()
    for _ in range(TURNS):
        view = await turn(people[0], path)
        await one_wins(sat, path, view)
    views = [(await people[0].ask("GET", path, node=node)).json() for node in (0, 1)]
    assert views[0] == views[1]
    answers = await asyncio.gather(
        *(person.ask("POST", f"{path}/commands", {"type": "resign"}) for person in sat.values())
    )
    assert {status: len(some) for status, some in by_status(answers).items()} == {200: SEATS - 1, 409: 1}
    assert (await turn(people[0], path))["phase"] == "finished"
    record = (await people[0].ask("GET", f"{path}/record")).content
    assert verdict_of(record, None).status != "FAULT"


async def one_wins(sat: dict[int, Person], path: str, view: dict[str, Any]) -> None:
    """Let every seat ask ten times at once, over both nodes: one is granted, and its repeats are told the same."""
    quantity = 0 if view["standing"] is None else view["standing"]["quantity"]
    bid = {"type": "bid", "quantity": quantity + 1, "face": 2}
    body = {"type": "challenge"} if quantity >= view["dice_in_play"] else bid
    asked = [(person, body, number) for person in sat.values() for number in range(PEOPLE // SEATS)]
    keys = [f"turn-{view['version']:08d}-{person.number:04d}-{number:04d}" for person, _, number in asked]
    answers = await asyncio.gather(
        *(
            person.ask("POST", f"{path}/commands", body, node=number % 2, **{"Idempotency-Key": key})
            for (person, body, number), key in zip(asked, keys, strict=True)
        )
    )
    won = [at for at, answer in enumerate(answers) if answer.status_code == 200]
    assert len(won) == 1, [answer.text for answer in answers if answer.status_code != 409]
    (person, body, number), first = asked[won[0]], answers[won[0]]
    assert person is sat[view["turn"]]
    for stale in ({}, {"If-Match": f'"v{view["version"]}"'}):
        key = {"Idempotency-Key": keys[won[0]], **stale}
        again = await person.ask("POST", f"{path}/commands", body, node=1 - number % 2, **key)
        assert (again.status_code, again.content) == (200, first.content)
        assert again.headers["etag"] == first.headers["etag"]
    other = {"type": "say", "text": "liar"}
    once_more: dict[str, Any] = {"Idempotency-Key": keys[won[0]]}
    reused = await person.ask("POST", f"{path}/commands", other, **once_more)
    assert (reused.status_code, reused.json()["code"]) == (422, "key_reused")


async def test_a_storm_of_people_who_come_and_go_leaves_both_nodes_of_one_mind(people: list[Person]) -> None:
    path = await opened(people[0], SEATS)
    chance = random.Random(1)

    async def come_and_go(person: Person, times: int) -> int:
        done = 0
        for _ in range(times):
            joined = await person.ask("POST", f"{path}/seats", {"name": f"P{person.number}"})
            if joined.status_code != 201:
                assert joined.json()["code"] == "too_many_players"
                continue
            person.token = joined.json()["token"]
            done += 1
            assert (await person.ask("DELETE", f"{path}/seats/me")).status_code == 200
            person.token = ""
        return done

    times = [chance.randint(1, 4) for _ in people[1:]]
    done = await asyncio.gather(*(come_and_go(*each) for each in zip(people[1:], times, strict=True)))
    views = [(await people[0].ask("GET", path, node=node)).json() for node in (0, 1)]
    assert views[0] == views[1]
    assert views[0]["seats"] == []
    lines = [line for line in (await people[0].ask("GET", f"{path}/record")).text.splitlines() if line.startswith("{")]
    assert sum('"type":"seat.left"' in line for line in lines) == sum(done) >= PEOPLE // 4


async def test_one_of_two_nodes_is_killed_six_times_and_play_goes_on(nodes: Nodes) -> None:
    hall, moments = Hall(nodes), random.Random(KILLS)
    playing = [asyncio.wrap_future(table) for table in hall.open()]
    try:
        for number in range(KILLS):
            await hall.go_on(BETWEEN)
            nodes.each[number % 2].kill()
            await asyncio.sleep(moments.uniform(0.5, 2.0))
            await asyncio.to_thread(nodes.each[number % 2].start)
    finally:
        hall.close()
        await asyncio.wait(playing)
    tables = [table for played in await asyncio.gather(*playing) for table in played]
    assert await asyncio.to_thread(hall.check, tables) >= KILLS * BETWEEN
