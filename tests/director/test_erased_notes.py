"""Reasons in words that an official erases: text and salt are gone for everybody, lines and proofs are whole."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from domain.log import canonical
from domain.tournaments.record import stream_of
from infra.store.memory import MemoryStore
from services.http.bounds import Bounds
from tests.api.conftest import served
from tests.director.house import EventHouse
from tests.director.test_refusals import Served, check_refused, entered
from tests.tournaments.events_for_audit import judged


@pytest.fixture(scope="module")
def entry() -> Iterator[Served]:
    house = EventHouse(MemoryStore())
    tokens = asyncio.run(entered(house))
    with served(Bounds(writes_per_s=100_000), events=house) as service:
        yield Served(service, house, tokens)


def noted(entry: Served, text: str, **members: object) -> str:
    """Withdraw somebody and take him in again, and return the hash of the text that is said of it."""
    answer = entry.ask("host", "withdraw", number=1, reason="other", text=text, **members)
    assert answer.status_code == 200, answer.text
    line = asyncio.run(entry.house.store.read(stream_of(entry.house.id), answer.json()["version"] - 1))[0]
    assert entry.ask("host", "return", number=1, reason="agreement").status_code == 200
    note = canonical.decode(line)["data"]["note"]
    assert isinstance(note, str)
    return note


def notes(entry: Served) -> dict[str, str]:
    found = entry.client.get(f"{entry.path}/notes", headers=entry.tokens["host"]).json()
    return {each["note"]: each["text"] for each in found}


@pytest.mark.parametrize("restricted", [False, True])
def test_a_text_is_gone_and_the_record_is_as_it_was(entry: Served, *, restricted: bool) -> None:
    note = noted(entry, "was rude to Bob", restricted=restricted)
    record = asyncio.run(entry.house.store.read(stream_of(entry.house.id)))
    assert notes(entry)[note] == "was rude to Bob"
    erased = entry.client.delete(f"{entry.path}/notes/{note}", headers=entry.tokens["arbiter"])
    assert erased.json() == {"note": note, "erased": True}
    assert note not in notes(entry)
    assert asyncio.run(entry.house.store.read(stream_of(entry.house.id))) == record
    assert judged(record).upto == len(record)
    again = entry.client.delete(f"{entry.path}/notes/{note}", headers=entry.tokens["host"])
    assert again.json() == {"note": note, "erased": False}


def test_only_officials_of_the_tournament_erase(entry: Served) -> None:
    note = noted(entry, "came late")
    path = f"{entry.path}/notes/{note}"
    check_refused(entry.client.delete(path, headers=entry.tokens["Ana"]), 403, "not_an_official")
    check_refused(entry.client.delete(path), 401, "no_token")
    assert notes(entry)[note] == "came late"
    other = entry.client.delete(f"{entry.path}/notes/none", headers=entry.tokens["host"])
    assert other.json() == {"note": "none", "erased": False}
