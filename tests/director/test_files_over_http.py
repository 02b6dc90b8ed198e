"""Files and reasons of a tournament over HTTP: the routes answer what the projections make of the record."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from collections.abc import Iterator
from typing import Any, Final

import httpx
import jsonschema_rs
import pytest

from domain.tournaments.certificates import OK, check_file
from infra.store.memory import MemoryStore
from projections.tournaments.exports.csv_files import pairings_csv, results_csv, standings_csv
from projections.tournaments.exports.trf import trf_text
from projections.tournaments.overview import game_of
from projections.tournaments.standings import standings_view
from services.api.reference.asyncapi import describe_socket
from services.http.bounds import Bounds
from tests.api.conftest import bearer, served
from tests.bots.test_player import working
from tests.director.house import DICE, EventHouse
from tests.director.test_refusals import Served, check_refused

PATIENCE_S: Final = 60
DUELS: Final = {"format": "swiss", "rounds": 2, "sizes": {"preferred": 2, "min": 2, "max": 2}, "advance": 4}
DRAFT_7: Final = "http://json-schema.org/draft-07/schema#"
NAMES: Final = {number: f"Bot {number - 1}" for number in range(1, 5)}


async def held(house: EventHouse) -> None:
    """Hold a tournament of four bots, without a title: two rounds, and a bracket."""
    match = {**DICE, "seats": 2}
    await house.announce(match=match, entry={"bots": "only"}, stages=[DUELS, {"format": "single"}])
    await house.enter_bots(4)
    await house.check_in()
    async with working(*house.works(), house.director().run()), asyncio.timeout(PATIENCE_S):
        while (await house.tournament()).phase != "closed":
            await asyncio.sleep(0.005)


@pytest.fixture(scope="module")
def over() -> Iterator[Served]:
    """Return a tournament that is over, at a running service."""
    house = EventHouse(MemoryStore())
    asyncio.run(held(house))
    with served(Bounds(), events=house) as service:
        yield Served(service, house, {})


def read(event: Served, path: str, **headers: str) -> httpx.Response:
    answer = event.client.get(f"{event.path}{path}", headers=headers)
    assert answer.status_code == 200, answer.text
    return answer


def test_a_view_has_the_head_of_the_record_and_no_title_where_nobody_gave_one(over: Served) -> None:
    view, cached = read(over, "").json(), asyncio.run(over.house.tournaments.load(over.house.id))
    assert (view["head"], view["version"], view["title"]) == (cached.written.head, cached.tournament.version, None)
    assert [row["number"] for row in read(over, "/entrants").json()] == [*NAMES]


def test_lines_behind_those_one_knows_of_are_those_of_the_record(over: Served) -> None:
    lines = [line for line in read(over, "/export").content.splitlines() if line.startswith(b"{")]
    for path, expected in (
        ("/lines", lines),
        (f"/lines?after={len(lines) - 1}", lines[-1:]),
        ("/lines?after=9999", []),
    ):
        answer = read(over, path)
        assert (answer.content.splitlines(), answer.headers.get("link")) == (expected, None)
    check_refused(over.client.get(over.path.replace(over.path[-4:], "0000") + "/lines"), 404, "unknown_tournament")


def test_an_entrant_has_its_way_through_every_stage(over: Served) -> None:
    found = read(over, "/entrants/1").json()
    assert (found["entrant"]["name"], [one["stage"] for one in found["stages"]]) == (NAMES[1], [1, 2])
    assert {one["how"] for one in found["stages"][0]["row"]["course"]} == {"played"}
    check_refused(over.client.get(f"{over.path}/entrants/5"), 404, "unknown_number")


def test_a_table_is_that_of_its_round(over: Served) -> None:
    tables = read(over, "/rounds/1/2").json()["tables"]
    assert [read(over, f"/rounds/1/2/tables/{table['table']}").json() for table in tables] == tables
    check_refused(over.client.get(f"{over.path}/rounds/1/2/tables/3"), 404, "unknown_table")
    check_refused(over.client.get(f"{over.path}/rounds/1/3/tables/1"), 409, "not_paired")


def test_standings_are_a_document_or_a_spreadsheet_as_of_any_round(over: Served) -> None:
    tournament = asyncio.run(over.house.tournament())
    for number in (1, 2):
        sheet = read(over, f"/standings?stage=1&round={number}", Accept="text/csv")
        assert sheet.headers["content-type"].startswith("text/csv")
        assert sheet.headers["vary"].split(", ")[0] == "Accept"
        assert sheet.text == standings_csv(standings_view(tournament, NAMES, 1, number, explained=False))
        rows = read(over, f"/standings?stage=1&round={number}").json()["rows"]
        assert [row["name"] for row in rows] == [row["name"] for row in csv.DictReader(io.StringIO(sheet.text))]
    brief = read(over, "/standings?stage=1").json()["rows"]
    assert not any(tie["parts"] for row in brief for tie in row["ties"])
    told = read(over, "/standings?stage=1&explained=true").json()["rows"]
    assert any(tie["parts"] for row in told for tie in row["ties"])
    check_refused(over.client.get(f"{over.path}/standings?stage=1&group=1"), 409, "not_paired")


def test_every_certificate_that_is_served_holds(over: Served) -> None:
    for number in (1, 2):
        file = read(over, f"/certificate?stage=1&round={number}")
        assert check_file(file.content, list(bytes.fromhex(file.json()["certificate"]["lot"]))) == OK
    check_refused(over.client.get(f"{over.path}/certificate?stage=2"), 409, "not_paired")
    check_refused(over.client.get(f"{over.path}/certificate?stage=1&round=3"), 409, "not_paired")


def test_why_says_what_the_own_table_cost_and_what_another_would_have(over: Served) -> None:
    found = read(over, "/why?number=1&stage=1&round=2").json()
    assert (found["kind"], found["who"]["name"], len(found["others"])) == ("weighed", NAMES[1], 3)
    one = read(over, "/why?number=1&with=3&stage=1&round=2").json()["others"]
    assert one == [other for other in found["others"] if other["who"]["number"] == 3]
    assert read(over, "/why?number=1").json()["kind"] in {"law", "not_paired"}, "the last round was of the bracket"
    check_refused(over.client.get(f"{over.path}/why?number=9"), 404, "unknown_number")


def test_a_bracket_says_where_winners_go_and_a_stage_without_one_has_none(over: Served) -> None:
    found = read(over, "/bracket").json()
    assert [(one["id"], one["state"], one["winner_to"]) for one in found["matches"]] == [
        *(("W1.1", "over", "W2.1"), ("W1.2", "over", "W2.1"), ("W2.1", "over", None)),
    ]
    assert read(over, "/bracket?stage=2").json() == found
    check_refused(over.client.get(f"{over.path}/bracket?stage=1"), 409, "not_paired")


def test_files_for_other_programs_are_what_the_projections_write(over: Served) -> None:
    tournament = asyncio.run(over.house.tournament())
    game = game_of(tournament)
    assert read(over, "/pairings.csv?stage=1&round=2").text == pairings_csv(tournament, NAMES, 1, 2)
    assert read(over, "/pairings.csv").text == pairings_csv(tournament, NAMES, 2, 2)
    assert read(over, "/pairings.csv?round=1").text == pairings_csv(tournament, NAMES, 2, 1)
    assert read(over, "/pairings.csv?stage=1").text == pairings_csv(tournament, NAMES, 1, 2)
    assert read(over, "/results.csv").text == results_csv(tournament, NAMES)
    assert read(over, "/event.trf?stage=1").text == trf_text(tournament, NAMES, game, 1)
    calendar = read(over, "/calendar.ics")
    assert calendar.headers["content-type"].startswith("text/calendar")
    assert calendar.text.startswith("BEGIN:VCALENDAR\r\n")
    assert calendar.text.count("BEGIN:VEVENT") == calendar.text.count(f"SUMMARY:{game}") == 5, "check-in, four rounds"
    assert f"/t/{tournament.id}\r\n" in calendar.text.replace("\r\n ", "")


def test_a_calendar_speaks_the_language_that_is_asked_for_and_caches_know_it(over: Served) -> None:
    german = read(over, "/calendar.ics", **{"Accept-Language": "de-AT, en;q=0.5"})
    assert (german.headers["content-language"], german.headers["vary"].partition(",")[0]) == ("de", "Accept-Language")
    assert "Runde 1" in german.text
    spanish = read(over, "/calendar.ics?lang=es", **{"Accept-Language": "de"})
    assert spanish.headers["content-language"] == "es"
    assert "Ronda 1" in spanish.text
    assert over.client.get(f"{over.path}/calendar.ics?lang=xx").status_code == 400
    plain, cup = read(over, "/export"), read(over, "/export", Accept="application/x-cup")
    assert [each.headers["content-type"].partition(";")[0] for each in (plain, cup)] == [
        "text/plain",
        "application/x-cup",
    ]
    assert {each.headers["vary"].partition(",")[0] for each in (plain, cup)} == {"Accept"}


def test_what_a_stream_tells_is_as_the_document_says(over: Served) -> None:
    document = json.loads(json.dumps(describe_socket()))
    kinds = [name for name in document["channels"]["tournament"]["messages"] if name != "streamBye"]
    payloads = {name: document["components"]["messages"][name]["payload"] for name in kinds}
    told = read(over, "/stream?after=0", Accept="application/x-ndjson").text.splitlines()
    assert len(told) == read(over, "").json()["version"] + 2, "a snapshot, a frame a line, the end"
    for kind, lines in zip(kinds, (told[:1], told[1:-1], told[-1:]), strict=True):
        schema = {"$schema": DRAFT_7, "allOf": [payloads[kind]], "components": document["components"]}
        validator = jsonschema_rs.validator_for(schema)
        assert [line for line in lines if not validator.is_valid(json.loads(line))] == []


def test_of_a_tournament_that_has_not_begun_there_is_nothing_to_explain(over: Served) -> None:
    announced = over.client.post("/api/v1/tournaments", json={"preset": "pods", "title": "Club night"}).json()
    path, host = f"/api/v1/tournaments/{announced['tournament']}", bearer(announced["token"])
    assert over.client.get(path, headers=host).json()["title"] == "Club night"
    asked: list[tuple[str, dict[str, Any]]] = [(each, {}) for each in ("standings", "bracket", "certificate")]
    asked += [("why", {"number": 1}), ("pairings.csv", {}), ("event.trf", {}), ("rounds/1/1/tables/1", {})]
    for what, members in asked:
        check_refused(over.client.get(f"{path}/{what}", params=members), 409, "not_paired")
    assert over.client.get(f"{path}/results.csv").text.count("\r\n") == 1
