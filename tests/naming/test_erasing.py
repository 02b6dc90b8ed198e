"""A name over HTTP: committed to in the record, told with its salt, and erased by the seat's own token."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest

from domain.fairness.names import NamesFound, SeatName, check_names, names_in
from domain.fairness.records import split
from domain.fairness.signing.messages import name_commitment
from infra.sealing import Sealing
from infra.store.memory import MemoryStore
from projections.view import SeatView
from services.audit.verdict import verdict_of
from services.http.bounds import Bounds
from services.matches.handler import CommandHandler
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault
from services.web.front import title_of
from services.web.people import called
from services.words.catalogue import speaking
from tests.api.conftest import Service, Table, bearer, served

SALT = "5a" * 32
KEY = {"Idempotency-Key": "0123456789abcdef0123"}


@pytest.fixture
def service() -> Iterator[Service]:
    store = MemoryStore()
    with served(Bounds(), CommandHandler(store, Vault(store, Sealing(bytes(32))), TokenIssuer(bytes(32)))) as service:
        yield service


@pytest.fixture
def table(service: Service) -> Table:
    return Table(service)


def sit(table: Table, **said: str) -> Any:
    return table.client.post(f"{table.path}/seats", json=said, headers=KEY)


def told(table: Table) -> list[SeatName]:
    answer = table.client.get(f"{table.path}/names")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/x-ndjson")
    return names_in(answer.content)


def found(table: Table) -> NamesFound:
    record = table.client.get(f"{table.path}/record").content
    return check_names(table.id, split(record).lines, told(table))


def erase(table: Table, token: dict[str, str]) -> Any:
    return table.client.delete(f"{table.path}/seats/me/name", headers=token)


def test_whoever_sits_down_with_a_salt_is_committed_to_and_told_with_it(table: Table) -> None:
    # The name is committed to as it is kept, in its normal form.
    sit(table, name="\N{ANGSTROM SIGN}da", salt=SALT)
    table.join("Bob")
    ada, bob = told(table)
    assert (ada.seat, ada.name, ada.salt) == (1, "\u00c5da", SALT)
    assert (bob.seat, bob.name, bob.salt) == (2, "Bob", None)
    assert name_commitment(bytes.fromhex(SALT), "\u00c5da").encode() in table.client.get(f"{table.path}/record").content
    assert found(table) == NamesFound(checked=(1,), open=(2,))


def test_a_name_is_erased_with_its_salt_and_nothing_else_changes(table: Table) -> None:
    ada = bearer(sit(table, name="Ada", salt=SALT).json()["token"])
    bob = table.join("Bob")
    table.start()
    before = table.client.get(f"{table.path}/record").content
    assert erase(table, ada).json() == {"match": table.id, "seat": 1, "erased": True}
    assert erase(table, ada).json()["erased"] is False
    assert table.client.get(f"{table.path}/record").content == before
    assert verdict_of(before, None, (1, 2)).status != "FAULT"
    assert [(each.name, each.salt) for each in told(table)] == [(None, None), ("Bob", None)]
    assert found(table) == NamesFound(open=(2,), erased=(1,))
    for whose in (ada, bob, {}):
        text = table.client.get(f"{table.path}/names", headers=whose).text
        assert "Ada" not in text
        assert SALT not in text
    assert table.client.get(table.path, headers=ada).json()["viewer"] == 1, "the token goes on"


def test_a_repeat_of_sitting_down_brings_no_name_back(table: Table) -> None:
    first = sit(table, name="Ada", salt=SALT)
    erase(table, bearer(first.json()["token"]))
    assert sit(table, name="Ada", salt=SALT).json() == first.json()
    assert [(each.name, each.salt) for each in told(table)] == [(None, None)]


def test_whoever_got_up_may_have_the_name_erased_as_well(table: Table) -> None:
    ada = bearer(sit(table, name="Ada", salt=SALT).json()["token"])
    assert table.client.delete(f"{table.path}/seats/me", headers=ada).status_code == 200
    bob = table.join("Bob")
    assert erase(table, ada).json()["erased"] is True
    assert [(each.seat, each.name) for each in told(table)] == [(1, None), (1, "Bob")]
    assert erase(table, bob).json()["erased"] is True


def test_nobody_erases_a_name_for_somebody_else(service: Service, table: Table) -> None:
    ada = table.join("Ada")
    refused = [erase(table, whose) for whose in (table.host, {}, bearer("truecup_seat_" + "A" * 43))]
    assert [(one.status_code, one.json()["code"]) for one in refused] == [
        (403, "not_a_seat"),
        (401, "no_token"),
        (401, "bad_token"),
    ]
    other = Table(service)
    assert erase(other, ada).json()["code"] == "foreign_token"
    assert [each.name for each in told(table)] == ["Ada"]
    nothing = f"/api/v1/matches/{UUID(int=0)}/names"
    assert table.client.get(nothing).json()["code"] == "unknown_match"


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "seat 1, name erased"), ("de", "Platz 1, Name gel\u00f6scht"), ("es", "asiento 1, nombre borrado")],
)
def test_pages_say_that_a_name_was_erased(language: str, said: str) -> None:
    player, row = "p" + "0f" * 12, {"seat": 1, "bot": False}
    view = SeatView(1, player, player, False, "server", out=False, balances={}, dice=(), bank_ms=None)  # noqa: FBT003
    with speaking(language):
        assert called(view) == called({**row, "name": player}) == said
        assert called({**row, "name": player, "bot": True}) == player
        assert called({**row, "name": "Ada"}) == "Ada"


def test_a_table_is_called_after_somebody_who_has_a_name() -> None:
    player, more = "p" + "0f" * 12, {"bot": False}
    seats = [{"seat": 1, "name": player, **more}, {"seat": 2, "name": "Bob", **more}]
    title = f"{player}\N{RIGHT SINGLE QUOTATION MARK}s table"
    assert title_of({"title": title, "seats": seats}) == "Bob\N{RIGHT SINGLE QUOTATION MARK}s table"
    assert title_of({"title": title, "seats": seats[:1]}).startswith("seat 1, name erased")
    assert title_of({"title": "An empty table", "seats": []}) == "An empty table"
