"""Previews over HTTP: officials see the next round beforehand, nobody else does, and nothing is recorded by it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Final

import pytest

from domain.tournaments import commands
from infra.store.memory import MemoryStore
from services.http.bounds import Bounds
from tests.api.conftest import bearer, served
from tests.bots.test_player import working
from tests.director.house import QUICK, EventHouse
from tests.director.test_refusals import Served, check_refused, entered

PATIENCE_S: Final = 60


async def waiting(house: EventHouse) -> dict[str, str]:
    """Go on until the host is waited for, who has the first round paired."""
    tokens = await entered(house, time={**QUICK, "start": "host"})
    await house.check_in()
    async with working(*house.works(), house.director().run()), asyncio.timeout(PATIENCE_S):
        while (await house.tournament()).phase != "running":
            await asyncio.sleep(0.005)
    return tokens


@pytest.fixture(scope="module")
def event() -> Iterator[Served]:
    house = EventHouse(MemoryStore())
    tokens = asyncio.run(waiting(house))
    with served(Bounds(), events=house) as service:
        yield Served(service, house, tokens)


@pytest.mark.parametrize("who", ["host", "arbiter"])
def test_an_official_sees_the_next_round_and_nothing_is_recorded(event: Served, who: str) -> None:
    before = event.client.get(event.path).json()["version"]
    answer = event.client.post(f"{event.path}/preview", headers=event.tokens[who])
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert (found["stage"], found["round"], set(found["lot"])) == (1, 1, {"0"})
    assert sorted(seat["name"] for table in found["tables"] for seat in table["seats"]) == ["Ana", "Bob", "Cyd", "Dan"]
    assert 0 <= found["bound"] <= found["cost"]
    assert (answer.headers["cache-control"], found["version"]) == ("no-store", before)
    assert event.client.get(event.path).json()["version"] == before


def test_nobody_else_sees_it(event: Served) -> None:
    path = f"{event.path}/preview"
    check_refused(event.client.post(path, headers=event.tokens["Ana"]), 403, "not_an_official")
    check_refused(event.client.post(path), 401, "no_token")


def test_an_official_who_was_dismissed_sees_it_no_more(event: Served) -> None:
    house = event.house
    left = asyncio.run(house.tournaments.appoint(house.id, house.host, "arbiter", house.ask()))
    asyncio.run(house.do(commands.Dismiss(by=house.host, official=str(left.by))))
    token = bearer(str(left.token))
    check_refused(event.client.post(f"{event.path}/preview", headers=token), 403, "not_an_official")
    check_refused(event.client.get(f"{event.path}/troubles", headers=token), 403, "not_an_official")
