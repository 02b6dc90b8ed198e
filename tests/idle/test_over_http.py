"""Bots alone at a table, over HTTP: how many tables there may be, and which requests are looks at them."""

from __future__ import annotations

from collections.abc import Iterator
from time import monotonic, sleep
from typing import Any, cast

import httpx
import pytest

from infra.sealing import Sealing
from infra.store.memory import MemoryStore
from services.api.application import create_app
from services.api.dependencies import Dependencies
from services.http.bounds import Bounds
from services.http.front.server import BoundedServer
from services.http.game_cards import cards
from services.matches.attendance import BotBounds, BotTables
from services.matches.handler import CommandHandler
from services.matches.looks import HOUSE, Looks
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault
from tests.api.conftest import Service, Table, running, served
from tests.api.house import House


class Noting(Looks):
    """Looks as they begin and end."""

    def __init__(self) -> None:
        super().__init__()
        self.begun: list[str] = []
        self.ended: list[str] = []

    def begin(self, what: str) -> None:
        self.begun.append(what)

    def end(self, what: str) -> None:
        self.ended.append(what)


def ended(looks: Noting, what: str) -> int:
    """Return how often a look has ended: a moment after the last byte was read, so at least one is waited for."""
    deadline = monotonic() + 60
    while what not in looks.ended and monotonic() < deadline:
        sleep(0.005)
    return looks.ended.count(what)


@pytest.fixture(scope="module")
def looks() -> Noting:
    return Noting()


@pytest.fixture(scope="module")
def service(looks: Noting) -> Iterator[Service]:
    house = House()
    parts = Dependencies(
        cast(Any, house), house, house, house.report, cards(), bounds=Bounds(writes_per_s=100_000), looks=looks
    )
    app = create_app(parts)
    server = BoundedServer(app, parts.doors, "127.0.0.1", 0)
    with running(server), httpx.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=60) as client:
        yield Service(app, house, parts, server, client)


def test_a_table_of_bots_more_than_there_may_be_is_refused_and_people_are_welcome() -> None:
    store = MemoryStore()
    tables = BotTables(BotBounds(network=1))
    matches = CommandHandler(store, Vault(store, Sealing(bytes(32))), TokenIssuer(bytes(32)), bot_tables=tables)
    with served(Bounds(), matches) as service:
        first, second, third = (Table(service) for _ in range(3))
        third.join("Ada")
        for table in (first, second, third):
            assert service.client.post(f"{table.path}/bots", json={"count": 2}, headers=table.host).status_code == 201
        key = {"Idempotency-Key": "start-this-table-once"}
        answer = service.client.post(f"{first.path}/start", headers=first.host | key)
        assert answer.status_code == 200
        refused = service.client.post(f"{second.path}/start", headers=second.host)
        assert (refused.status_code, refused.json()["code"], refused.json()["started"]) == (
            429,
            "too_many_bot_tables",
            1,
        )
        assert int(refused.headers["retry-after"]) > 0
        assert service.client.post(f"{third.path}/start", headers=third.host).status_code == 200
        assert service.client.post(f"{first.path}/start", headers=first.host | key).json() == answer.json()


def test_a_look_lasts_as_long_as_the_answer(service: Service, looks: Noting) -> None:
    table = Table(service)
    with table.client.stream("GET", f"{table.path}/stream", headers={"Accept": "application/x-ndjson"}) as told:
        lines = told.iter_lines()
        next(lines)
        assert looks.begun.count(table.id) == 1
        assert looks.ended.count(table.id) == 0
        table.play(table.host, {"type": "end_match"})
        assert '"ended"' in list(lines)[-1]
    assert looks.begun.count(table.id) == ended(looks, table.id) == 1


@pytest.mark.parametrize("rest", ["", "/replay"])
def test_what_people_ask_for_is_a_look(service: Service, looks: Noting, rest: str) -> None:
    table = Table(service)
    assert table.client.get(table.path + rest).status_code == 200
    assert looks.begun.count(table.id) == ended(looks, table.id) == 1
    before = looks.begun.count(HOUSE)
    assert service.client.get("/api/v1/matches").status_code == 200
    assert looks.begun.count(HOUSE) == before + 1


def test_what_is_not_there_and_what_machines_read_is_no_look(service: Service, looks: Noting) -> None:
    table = Table(service)
    before = len(looks.begun)
    nobody = "0d9a1b5e-6f2c-4c1d-9f0e-1a2b3c4d5e6f"
    assert service.client.get(f"/api/v1/matches/{nobody}").status_code == 404
    assert service.client.get(f"{table.path}/record").status_code == 200
    assert service.client.get("/health/live").status_code == 200
    assert len(looks.begun) == before
