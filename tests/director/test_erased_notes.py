"""Reasons in words that an official erases: text and salt are gone for everybody, lines and proofs are whole."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from domain.errors import Refused
from domain.log import canonical
from domain.tournaments import commands
from domain.tournaments.record import stream_of
from infra.store.memory import MemoryStore
from services.http.bounds import Bounds
from services.tournaments.requests import Beside
from tests.api.conftest import served
from tests.director.house import EventHouse
from tests.director.test_previews_over_http import waiting
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


async def test_who_is_accused_erases_no_accusation_while_another_official_can() -> None:
    house = EventHouse(MemoryStore())
    await waiting(house)
    tournament, erase = await house.tournament(), house.tournaments.erase_note
    arbiter = next(who for who, role in tournament.officials.items() if role == "arbiter")
    ruled = await house.do(commands.Penalise(by=arbiter, number=1, kind="warning", reason="conduct"))
    appeal = commands.Appeal(by=tournament.entrants[1].player, number=1, line=ruled.version - 1)
    for text in ("he asked me for money", "and again"):
        await house.tournaments.submit(house.id, appeal, house.ask(), Beside(note=text))
    notes = {each.body: each.note for each in await house.tournaments.notes(house.id, arbiter)}
    first, second = notes["he asked me for money"], notes["and again"]
    with pytest.raises(Refused) as refused:
        await erase(house.id, first, arbiter)
    assert (refused.value.code, refused.value.facts["line"]) == ("own_ruling", appeal.line)
    await house.do(commands.DecideAppeal(by=house.host, appeal=1, outcome="denied"))
    assert await erase(house.id, first, arbiter), "it is decided"
    with pytest.raises(Refused, match="own ruling"):
        await erase(house.id, second, arbiter)
    assert await erase(house.id, second, house.host)


async def test_whoever_is_alone_erases_whatever_is_asked_for() -> None:
    house = EventHouse(MemoryStore())
    await waiting(house)
    tournament = await house.tournament()
    arbiter = next(who for who, role in tournament.officials.items() if role == "arbiter")
    await house.do(commands.Dismiss(by=house.host, official=arbiter))
    ruled = await house.do(commands.Penalise(by=house.host, number=1, kind="warning", reason="conduct"))
    appeal = commands.Appeal(by=tournament.entrants[1].player, number=1, line=ruled.version - 1)
    await house.tournaments.submit(house.id, appeal, house.ask(), Beside(note="my address"))
    (kept,) = await house.tournaments.notes(house.id, house.host)
    assert await house.tournaments.erase_note(house.id, kept.note, house.host)
