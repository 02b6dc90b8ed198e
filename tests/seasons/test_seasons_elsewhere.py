"""Nodes without the dealer's role: what is public of seasons and players is read there, though no dealer answers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from uuid import UUID

import httpx
import pytest

from infra.store.memory import MemoryStore
from services.http.bounds import Bounds
from tests.api.conftest import bearer, served
from tests.director.house import DICE, EventHouse
from tests.handoff.remote_house import RemoteHouse


async def begun(house: EventHouse) -> tuple[str, str, str]:
    season = await house.seasons.create("common_hand", {}, house.ask())
    player = await house.players.create("Ada", house.ask())
    return season.season, str(season.token), player.player


@pytest.fixture(scope="module")
def reading() -> Iterator[tuple[httpx.Client, str, str, str]]:
    house = RemoteHouse(MemoryStore(), alone=True)
    season, token, player = asyncio.run(begun(house))
    with served(Bounds(writes_per_s=100_000), events=house) as service:
        yield service.client, season, token, player


def test_what_is_public_is_read_anywhere(reading: tuple[httpx.Client, str, str, str]) -> None:
    client, season, _, player = reading
    assert client.get(f"/api/v1/seasons/{season}").json()["state"] == "open"
    assert client.get(f"/api/v1/seasons/{season}/export").status_code == 200
    assert client.get(f"/api/v1/players/{player}").json()["name"] == "Ada"
    assert client.get(f"/api/v1/seasons/{UUID(int=7)}").json()["code"] == "unknown_season"


def test_what_changes_anything_waits_for_a_dealer(reading: tuple[httpx.Client, str, str, str]) -> None:
    client, season, token, player = reading
    shown, other = bearer(token), bearer("truecup_player_" + "A" * 43)
    rules = {"preset": "pods", "rules": {"match": DICE, "season": season}}
    answers = [
        client.post("/api/v1/seasons", json={"game": "common_hand"}),
        client.post(f"/api/v1/seasons/{season}/close", headers=shown),
        client.post("/api/v1/players", json={"name": "Bob"}),
        client.post(f"/api/v1/players/{player}/token", headers=other),
        client.delete(f"/api/v1/players/{player}/name", headers=other),
        client.post("/api/v1/tournaments", json=rules, headers=shown),
    ]
    assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(503, "unavailable")}
