"""Quick phrases: whoever reads the match hears them, in the three languages of streams, and no log has them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any, get_args
from uuid import UUID

import pytest

from services.api.bodies import Phrase
from services.http.bounds import PHRASES
from services.words.catalogue import CATALOGUE
from tests.api.conftest import RULES, Service, Table
from tests.api.test_problems import check
from tests.api.test_streams import items

Seated = tuple[Table, dict[str, str], dict[str, str]]
NDJSON = {"Accept": "application/x-ndjson"}


def say(table: Table, seat: dict[str, str], phrase: object = "hello", **headers: str) -> Any:
    return table.client.post(f"{table.path}/phrases", json={"phrase": phrase}, headers=seat | headers)


def test_a_phrase_comes_between_frames_to_lines_that_ask_for_it(match: Seated) -> None:
    table, first, second = match
    with (
        table.client.stream("GET", f"{table.path}/stream?phrases=true", headers=NDJSON) as hearing,
        table.client.stream("GET", f"{table.path}/stream", headers=NDJSON) as deaf,
    ):
        heard, others = items(hearing), items(deaf)
        next(heard), next(others)
        said = say(table, first, "nice")
        told = [next(heard)]
        table.play(first, {"type": "bid", "quantity": 1, "face": 2})
        told.append(next(heard))
        say(table, second, "thanks")
        told.append(next(heard))
        assert next(others)["version"] == 5
    assert (said.status_code, said.json()) == (202, {"phrase": "nice", "seat": 1})
    assert said.headers["cache-control"] == "no-store"
    assert [told[0], told[1]["version"], told[2]] == [
        {"phrase": "nice", "seat": 1},
        5,
        {"phrase": "thanks", "seat": 2},
    ]


def test_a_phrase_is_an_event_of_its_own_without_an_id(match: Seated) -> None:
    table, first, _ = match
    path = f"{table.path}/stream"
    with (
        table.client.stream("GET", path, headers={"Accept": "text/event-stream"}) as hearing,
        table.client.stream("GET", f"{path}?phrases=false", headers={"Accept": "text/event-stream"}) as deaf,
    ):
        heard, others = hearing.iter_lines(), deaf.iter_lines()
        list(islice(heard, 4)), list(islice(others, 4))
        say(table, first, "wow")
        assert list(islice(heard, 3)) == ["event: phrase", 'data: {"phrase":"wow","seat":1}', ""]
        table.play(first, {"type": "bid", "quantity": 1, "face": 2})
        assert next(heard) == next(others) == "id: 5"


def test_every_phrase_can_be_said_and_nothing_else_and_no_version_comes_of_it(match: Seated) -> None:
    table, first, second = match
    before = table.client.get(table.path).json()
    for place, phrase in enumerate(get_args(Phrase)):
        assert say(table, (first, second)[place % 2], phrase).status_code == 202
    for bad in ("", "Hello", "you fool", 1, None, ["hello"]):
        check(say(table, first, bad), 400, "malformed")
    address = f"{table.path}/phrases"
    check(table.client.post(address, json={"phrase": "hello", "seat": 2}, headers=first), 400, "malformed")
    check(table.client.post(address, json={}, headers=first), 400, "malformed")
    json_type = {"Content-Type": "application/json"}
    check(table.client.post(address, content=b"{", headers=first | json_type), 400, "malformed")
    assert table.client.get(table.path).json() == before


def test_who_floods_is_told_when_to_come_back_and_others_speak_on(match: Seated) -> None:
    table, first, second = match
    for _ in range(PHRASES.burst):
        assert say(table, first).status_code == 202
    refused = say(table, first)
    check(refused, 429, "too_many_requests")
    assert int(refused.headers["retry-after"]) in {1, 2}
    assert refused.headers["ratelimit-policy"] == '"phrases";q=4;w=8'
    assert say(table, second).status_code == 202


def test_only_a_seat_of_this_match_speaks(match: Seated, service: Service) -> None:
    table, first, _ = match
    check(say(table, {}), 401, "no_token")
    check(say(table, table.host), 403, "not_a_seat")
    check(say(Table(service), first), 403, "foreign_token")
    check(say(table, {"Authorization": "Bearer truecup_seat_" + "A" * 43}), 401, "bad_token")
    nowhere = f"/api/v1/matches/{UUID(int=0)}/phrases"
    check(table.client.post(nowhere, json={"phrase": "hello"}, headers=first), 404, "unknown_match")
    check(say(table, first, **{"If-Match": '"v1"'}), 412, "version_passed")
    assert say(table, first, **{"If-Match": '"v4"'}).status_code == 202


def test_nobody_speaks_when_the_match_is_over_or_the_host_wants_no_phrases(match: Seated, service: Service) -> None:
    table, first, _ = match
    table.play(table.host, {"type": "end_match"})
    check(say(table, first), 409, "game_over")
    opened = service.client.post("/api/v1/matches", json={**RULES, "choices": {"phrases": False}}).json()
    quiet = Table(service)
    quiet.path = f"/api/v1/matches/{opened['match']}"
    check(say(quiet, quiet.join("Ada")), 403, "no_phrases")


@pytest.fixture
def away(service: Service) -> Iterator[Service]:
    service.house.full = True
    yield service
    service.house.full = False


def test_a_phrase_that_nobody_can_be_told_is_not_taken(match: Seated, away: Service) -> None:
    table, first, _ = match
    refused = say(table, first)
    check(refused, 503, "unavailable")
    assert (refused.headers["retry-after"], away.house.rooms[UUID(table.id)].said) == ("1", [])


def test_what_is_said_is_one_line_of_json(match: Seated, service: Service) -> None:
    table, _, second = match
    say(table, second, "oops")
    assert [json.loads(body) for body in service.house.rooms[UUID(table.id)].said] == [{"phrase": "oops", "seat": 2}]


def test_the_catalogue_has_the_words_of_every_phrase_and_of_no_other() -> None:
    assert list(CATALOGUE["sayings"]["phrases"]) == list(get_args(Phrase))
