"""Idempotency keys as the document promises them, held against the real rules: an answer is for ever, a no is not."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from infra.sealing import Sealing
from infra.store.memory import MemoryStore
from services.http.bounds import Bounds
from services.matches.handler import CommandHandler
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault
from tests.api.conftest import Service, Table, bearer, served

KEY = {"Idempotency-Key": "7d4bd0f2-1f0c-4f6e-9a5b-3c8e21d7a690"}
RULES = {"game": "common_hand", "seats": 2}


@pytest.fixture
def table() -> Iterator[Table]:
    """Return a table for two, over the store's double."""
    matches = CommandHandler(store := MemoryStore(), Vault(store, Sealing(bytes(32))), TokenIssuer(bytes(32)))
    with served(Bounds(), matches) as service:
        yield OfTwo(service)


class OfTwo(Table):
    """A table that is full when two sit at it."""

    def __init__(self, service: Service) -> None:
        super().__init__(service)
        opened = service.client.post("/api/v1/matches", json={"rules": RULES}).json()
        self.path = f"/api/v1/matches/{opened['match']}"
        self.host = bearer(opened["token"])


def told(response: httpx.Response) -> tuple[int, bytes, dict[str, str]]:
    """Return all that a response says, but for when."""
    headers = {name: text for name, text in response.headers.items() if name != "date"}
    return response.status_code, response.content, headers


def take_a_seat(table: Table, name: str, key: dict[str, str] | None = None) -> httpx.Response:
    return table.client.post(f"{table.path}/seats", json={"name": name}, headers=key or {})


def test_the_document_promises_it(table: Table) -> None:
    for path in table.client.get("/openapi.json").json()["paths"].values():
        for operation in path.values():
            for one in operation.get("parameters", []):
                if one["name"] == "Idempotency-Key":
                    assert "An accepted command answers the same for ever" in one["description"]
                    assert "under the same key the command is decided anew" in one["description"]


def test_an_accepted_command_answers_the_same_for_ever_byte_by_byte(table: Table) -> None:
    first = take_a_seat(table, "Ada", KEY)
    assert first.status_code == 201
    table.join("Bob")
    table.start()

    # The table is full and the match has begun: asked anew, all of this would be refused.
    assert told(take_a_seat(table, "Ada", KEY)) == told(first)
    assert take_a_seat(table, "Eve", KEY).json()["code"] == "key_reused"
    assert take_a_seat(table, "Eve").json()["code"] == "already_started"


def test_a_refused_command_is_decided_anew_under_its_key(table: Table) -> None:
    ada = bearer(take_a_seat(table, "Ada").json()["token"])

    early = table.client.post(f"{table.path}/start", headers=table.host | KEY)
    assert early.json()["code"] == "too_few_players"
    bob = table.join("Bob")
    begun = table.client.post(f"{table.path}/start", headers=table.host | KEY)
    assert begun.status_code == 200
    assert told(table.client.post(f"{table.path}/start", headers=table.host | KEY)) == told(begun)
    assert ada != bob


def test_bots_that_find_too_few_seats_are_told_how_many_are_free(table: Table) -> None:
    table.join("Ada")
    refused = table.client.post(f"{table.path}/bots", json={"count": 2}, headers=table.host).json()
    assert (refused["code"], refused["seats"], refused["free"]) == ("too_many_players", 2, 1)
    assert refused["detail"] == "seats that are free at this table: 1 of 2"


def test_so_is_one_that_found_no_room_no_name_or_another_version(table: Table) -> None:
    ada = table.join("Ada")
    table.join("Bob")

    assert take_a_seat(table, "Eve", KEY).json()["code"] == "too_many_players"
    assert table.client.delete(f"{table.path}/seats/me", headers=ada).status_code == 200
    assert take_a_seat(table, "B0b", KEY).json()["code"] == "name_taken"
    assert take_a_seat(table, "\u3164", KEY).json()["code"] == "bad_name"
    assert take_a_seat(table, "Eve", KEY | {"If-Match": '"v1"'}).json()["code"] == "version_passed"
    eve = take_a_seat(table, "Eve", KEY)
    assert eve.status_code == 201
    assert told(take_a_seat(table, "Eve", KEY | {"If-Match": '"v1"'})) == told(eve)
