"""The list of tournaments over HTTP: those in a state, those of a game, a page after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from domain.tournaments import commands
from infra.store import SHARDS
from infra.store.memory import MemoryStore
from services.http.bounds import Bounds
from services.relay.tournament_projector import TournamentProjector
from services.tournaments.reads import ROWS, ROWS_OF_GAMES
from tests.api.conftest import Service, served
from tests.director.house import DICE, EventHouse

GAMES = ("common_hand", "finska", "common_hand", "beat_this", "common_hand")


async def listed(house: EventHouse) -> None:
    """Announce tournaments of some games, the last of which does not take place."""
    for game in GAMES:
        await house.announce(match=DICE if game == "common_hand" else {"game": game, "options": {}, "pause_ms": 0})
    await house.do(commands.Cancel(by=house.host, reason="technical"))
    await project(house)


async def project(house: EventHouse) -> None:
    """Bring the lists up to the log, from where they are."""
    projector = TournamentProjector(house.store)
    for shard in range(SHARDS):
        if page := await house.store.follow(shard, await projector.start(shard), 1_000):
            await projector.take(shard, page)


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    house = EventHouse(MemoryStore())
    asyncio.run(listed(house))
    with served(Bounds(), events=house) as running:
        yield running


def pages(service: Service, query: str) -> list[list[dict[str, Any]]]:
    """Return the rows of all pages, as their links lead from one to the next."""
    found, address = [], f"/api/v1/tournaments?{query}"
    while True:
        answer = service.client.get(address)
        found.append(answer.json())
        if "next" not in answer.links:
            return found
        address = answer.links["next"]["url"]


def test_tournaments_of_a_game_are_listed_a_page_after_the_other(service: Service) -> None:
    one_by_one = pages(service, "state=open&game=common_hand&limit=1")
    assert [len(page) for page in one_by_one] == [1, 1, 0]
    titles = {row["game"] for page in one_by_one for row in page}
    assert len(titles) == 1
    assert [row for page in one_by_one for row in page] == pages(service, "state=open&game=common_hand")[0]


async def test_a_house_that_has_no_lists_of_games_yet_makes_them_from_its_first_line() -> None:
    house = EventHouse(MemoryStore())
    await house.announce()
    positions = await house.store.positions()
    for shard, position in positions.items():
        await house.store.save_projection(ROWS, shard, position, [])
    await project(house)
    assert len(await house.tournaments.rows("open", 9, game="common_hand")) == 1
    assert [await house.store.cursor(ROWS_OF_GAMES, shard) for shard in positions] == list(positions.values())
    assert await house.tournaments.rows("open", 9, game="finska") == []


def test_a_game_nobody_plays_has_no_tournaments(service: Service) -> None:
    assert pages(service, "game=mexican") == [[]]
    assert pages(service, "game=no_such_game") == [[]]
    assert service.client.get("/api/v1/tournaments?game=No%20Game").status_code == 400


def test_tournaments_are_listed_under_the_state_they_are_in(service: Service) -> None:
    assert [len(pages(service, f"state={state}")[0]) for state in ("open", "live", "ended")] == [4, 0, 1]
    assert len(pages(service, "state=ended&game=common_hand")[0]) == 1
