"""The card of an entrant as it happens: one at once, another whenever it is another, and nothing of anybody else's."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from domain.tournaments import commands
from infra.store import Unavailable
from infra.store.memory import MemoryStore
from services.api.tournaments import streaming
from services.http.bounds import Bounds
from tests.api.conftest import served
from tests.director.house import EventHouse
from tests.director.test_refusals import Served, check_refused, entered

LINES = {"Accept": "application/x-ndjson"}


@pytest.fixture
def event() -> Iterator[Served]:
    house = EventHouse(MemoryStore())
    tokens = asyncio.run(entered(house))
    with served(Bounds(writes_per_s=100_000, beat_s=0.05), events=house) as service:
        yield Served(service, house, tokens)


def cards(event: Served, who: str, query: str = "") -> Any:
    return event.client.stream("GET", f"{event.path}/me/stream{query}", headers={**event.tokens[who], **LINES})


def following(answer: httpx.Response) -> Callable[[], dict[str, Any]]:
    """Return what waits for the next thing that a stream says."""
    lines = answer.iter_lines()

    def await_next() -> dict[str, Any]:
        found: dict[str, Any] = json.loads(next(line for line in lines if line))
        return found

    return await_next


def test_a_card_comes_at_once_and_again_when_it_is_another(event: Served) -> None:
    with cards(event, "Ana") as answer:
        item = following(answer)
        first = item()
        assert (first["own"]["card"]["number"], first["own"]["card"]["now"]) == (1, "wait_for_check_in")
        assert first["own"] == event.client.get(f"{event.path}/me", headers=event.tokens["Ana"]).json()
        assert event.ask("host", "open_check_in").status_code == 200
        assert item()["own"]["card"]["now"] == "check_in"
        assert event.ask("Bob", "check_in").status_code == 200
        assert event.ask("Ana", "check_in").status_code == 200
        told = item()
        assert told["own"]["card"]["now"] == "wait_for_draw", "what Bob did is no news for Ana"
        assert told["version"] == told["own"]["card"]["version"]
        assert event.ask("host", "cancel", reason="technical").status_code == 200
        assert item()["own"]["card"]["now"] == "over"
        asyncio.run(event.house.tournaments.proceed(event.house.id, "rule", event.house.ask()))
        assert item()["own"]["card"]["phase"] == "closed"
        assert set(item()) == {"ended"}


def test_what_happens_elsewhere_is_told_later(event: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "LATE_S", 0.2)
    with cards(event, "Ana") as answer:
        item = following(answer)
        before = item()
        assert event.ask("Bob", "withdraw", reason="request").status_code == 200
        after = item()
        assert after["version"] == before["version"] + 1
        assert {**after["own"]["card"], "version": 0} == {**before["own"]["card"], "version": 0}


def test_a_stream_is_had_as_events_with_the_version_as_their_id(event: Served) -> None:
    with event.client.stream("GET", f"{event.path}/me/stream", headers=event.tokens["Bob"]) as answer:
        lines = answer.iter_lines()
        version = event.client.get(event.path).json()["version"]
        assert next(lines) == f"id: {version}"
        assert json.loads(next(lines).removeprefix("data: "))["own"]["card"]["number"] == 2
        assert ": ping" in [next(lines) for _ in range(4)]


def test_nobody_but_an_entrant_has_a_card(event: Served) -> None:
    path = f"{event.path}/me/stream"
    check_refused(event.client.get(path), 401, "no_token")
    check_refused(event.client.get(path, headers=event.tokens["host"]), 403, "not_an_entrant")
    check_refused(event.client.get(f"{path}?after=99", headers=event.tokens["Ana"]), 409, "version_in_the_future")
    assert event.client.head(path, headers=event.tokens["Ana"]).status_code == 200
    assert event.client.head(path).status_code == 401


def test_a_stream_outlives_the_absence_of_the_database(event: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    load, away = event.house.tournaments.load, [True]

    async def sometimes(*args: Any) -> Any:
        if away[0]:
            raise Unavailable("the database is away")
        return await load(*args)

    with cards(event, "Ana") as answer:
        item = following(answer)
        before = item()
        assert event.ask("host", "open_check_in").status_code == 200
        assert item()["version"] > before["version"]
        monkeypatch.setattr(event.house.tournaments, "load", sometimes)
        check = commands.CheckIn(by=event.house.host, number=1)
        told = asyncio.run(event.house.tournaments.submit(event.house.id, check, event.house.ask()))
        away[0] = False
        assert item()["version"] == told.version
    away[0] = True
    refused = event.client.get(f"{event.path}/me/stream", headers=event.tokens["Ana"])
    check_refused(refused, 503, "unavailable")
