"""Cases of a screening over HTTP: read by officials once one of them has opened them, and by nobody else at all."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import msgspec
import pytest

from domain.log import canonical
from domain.statistics.screening.screening import CaseFile, Measured, SeenDecision
from domain.tournaments import commands, events
from domain.tournaments.record import stream_of
from infra.store.people import StoredScreening
from services.tournaments.screening.cases import KeptCase, KeptScreening
from tests.api.conftest import bearer
from tests.director.house import EventHouse
from tests.director.test_refusals import Served, at, check_refused, playing
from tests.tournaments.events_by_hand import ARBITER, HOST, STRANGER
from tests.tournaments.events_for_audit import judged
from tests.tournaments.test_rulings import running

CASE, UNKNOWN = "k" + "a" * 24, "k" + "b" * 24
MATCH = "0badcafe-0000-8000-8000-000000000001"
SOFT = Measured("-9", "-1/2", "1/10000", 9_999, stands_out=True)
FILE = CaseFile(
    (1, 2), 1, 3, 3, SOFT, SOFT, (SeenDecision(1, 2, 1, MATCH, 41, 0, 3, challenged=False),), same_club=True, few=True,
    apart="17/23",
)  # fmt: skip


async def keep(house: EventHouse) -> None:
    kept = KeptScreening(1, 3, 12, 24, judged=True, cases=(KeptCase(CASE, FILE),))
    await house.store.keep_screening(stream_of(house.id), StoredScreening(9, msgspec.json.encode(kept)))


@pytest.fixture
def event() -> Iterator[Served]:
    yield from at(playing)


def test_an_official_opens_a_case_and_reads_it_and_everybody_sees_that_one_does(event: Served) -> None:
    cases, host = f"{event.path}/cases", event.tokens["host"]
    assert event.client.get(cases, headers=host).json() == {
        "stage": None, "round": None, "pairs": 0, "tests": 0, "judged": False, "cases": [],
    }  # fmt: skip
    asyncio.run(keep(event.house))
    listed = {"case": CASE, "stage": 1, "round": 3, "opened": False}
    found = event.client.get(cases, headers=event.tokens["arbiter"])
    assert found.headers["cache-control"] == "no-store"
    assert found.json() == {"stage": 1, "round": 3, "pairs": 12, "tests": 24, "judged": True, "cases": [listed]}
    closed = event.client.get(f"{cases}/{CASE}", headers=host).json()
    assert closed == {"case": CASE, "opened": False, "file": None}
    assert event.ask("arbiter", "open_case", case=CASE).status_code == 200
    opened = event.client.get(f"{cases}/{CASE}", headers=host).json()
    assert opened == {"case": CASE, "opened": True, "file": msgspec.json.decode(msgspec.json.encode(FILE))}
    last = canonical.decode(asyncio.run(event.house.store.read(stream_of(event.house.id)))[-1])
    assert (last["type"], last["data"].keys()) == ("case.opened", {"case", "by"})


def test_a_case_that_nobody_has_found_is_neither_opened_nor_read(event: Served) -> None:
    check_refused(event.ask("host", "open_case", case=UNKNOWN), 404, "unknown_case")
    asyncio.run(keep(event.house))
    check_refused(event.ask("host", "open_case", case=UNKNOWN), 404, "unknown_case")
    check_refused(event.ask("host", "open_case", case="Ana and Bob"), 400, "malformed")
    host = event.tokens["host"]
    check_refused(event.client.get(f"{event.path}/cases/{UNKNOWN}", headers=host), 404, "unknown_case")


def test_nobody_but_officials_is_told_anything_of_a_case(event: Served) -> None:
    asyncio.run(keep(event.house))
    assert event.ask("host", "open_case", case=CASE).status_code == 200
    cases = f"{event.path}/cases"
    for path in (cases, f"{cases}/{CASE}", f"{cases}/{UNKNOWN}"):
        check_refused(event.client.get(path), 401, "no_token")
        check_refused(event.client.get(path, headers=event.tokens["Ana"]), 403, "not_an_official")
        check_refused(event.client.get(path, headers=bearer("truecup_entrant_" + "A" * 43)), 401, "bad_token")
    # Which cases there are is not told by what opening one is refused with.
    for case in (CASE, UNKNOWN):
        check_refused(event.ask("Ana", "open_case", case=case), 403, "not_an_official")
    reads = ("", "/entrants", "/entrants/1", "/standings", "/rounds/1/1", "/export", "/notes", "/me", "/bracket")
    for read in reads:
        for headers in ({}, event.tokens["Ana"]):
            told = event.client.get(event.path + read, headers=headers).text
            assert [word for word in ("softness", "stands_out", MATCH, FILE.apart) if word in told] == []


def test_an_official_who_was_dismissed_reads_no_case_any_more(event: Served) -> None:
    asyncio.run(keep(event.house))
    officials = asyncio.run(event.house.tournament()).officials
    (arbiter,) = (each for each, role in officials.items() if role == "arbiter")
    asyncio.run(event.house.do(commands.Dismiss(by=event.house.host, official=arbiter)))
    cases, headers = f"{event.path}/cases", event.tokens["arbiter"]
    check_refused(event.client.get(cases, headers=headers), 403, "not_an_official")


def test_a_case_is_opened_by_officials_while_the_tournament_is_played_and_the_record_audits() -> None:
    event = running()
    assert event.code(commands.OpenCase(by=STRANGER, case=CASE)) == "not_an_official"
    event.do(commands.OpenCase(by=ARBITER, case=CASE))
    event.do(commands.OpenCase(by=HOST, case=CASE))
    assert event.tournament.cases == {CASE}
    line = event.line_of(events.CaseOpened)
    assert judged(event.close().lines).upto == len(event.lines)
    assert event.code(commands.OpenCase(by=HOST, case=CASE)) == "tournament_over"
    assert line < len(event.lines)
