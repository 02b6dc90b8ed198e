"""Bodies, queries and messages that are none: told in our own words where, and in no library's."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import httpx
import pytest

from services.api.reference import examples
from tests.api.conftest import Service, Table, bearer

THEIRS = re.compile(
    r"Expected|Object (missing|contains)|required field|unknown field|Invalid (enum )?value|regex|`, got|"
    r"\bstr\b|\bint\b|\bbool\b|NoneType|msgspec|litestar|Validation failed|Traceback|<class"
)
"""What libraries say, and whoever asks something of a house has no use for."""
WRONG: tuple[Any, ...] = (None, "x", -1, 2**70, 1.5, True, [], {}, [[]], "\0")


def mutants(body: Any) -> Iterator[Any]:
    """Yield a body with each member left out, each made something else, and one added, at every depth."""
    yield from (3, [], "x", None, {**body, "frobnicate": 1})
    for name, member in body.items():
        yield {other: body[other] for other in body if other != name}
        yield from ({**body, name: wrong} for wrong in WRONG)
        if isinstance(member, dict):
            yield from ({**body, name: each} for each in mutants(member))


def bodies() -> Iterator[tuple[str, Any]]:
    for operation, those in examples.BODIES.items():
        for body in those.values():
            yield from ((operation, copy.deepcopy(each)) for each in mutants(body))


def check(answer: httpx.Response) -> None:
    """Check that a no says what is wrong, and where it can, in our words."""
    assert answer.status_code < 500, (answer.request.content, answer.text)
    if answer.status_code < 400:
        return
    problem = answer.json()
    assert THEIRS.search(answer.text) is None, (answer.request.content, problem)
    if problem["code"] == "malformed":
        assert problem["faults"]
        assert problem["detail"] not in {"", problem["title"]}
        for fault in problem["faults"]:
            assert fault["why"]
            in_body = fault["where"].startswith("$")  # what stands in a query has a name, and no pointer
            assert in_body == ("pointer" in fault)
            assert not in_body or re.fullmatch(r"#(/([^/~]|~[01])*)*", fault["pointer"])


def test_a_body_that_is_none_is_told_in_our_words_where_it_is_wrong(service: Service, table: Table) -> None:
    seat = table.join("Ada")
    table.join("Bob")
    paths = {
        "open_match": ("/api/v1/matches", {}),
        "join_match": (f"{table.path}/seats", {}),
        "seat_bots": (f"{table.path}/bots", table.host),
        "name_key": (f"{table.path}/seats/1/key", table.host),
        "take_key": (f"{table.path}/seats/me/key", seat),
        "ask_for_rematch": (f"{table.path}/rematch", seat),
        "say_phrase": (f"{table.path}/phrases", seat),
        "play": (f"{table.path}/commands", seat),
    }
    announced = service.client.post("/api/v1/tournaments", json={"preset": "pods"}).json()
    event, official = f"/api/v1/tournaments/{announced['tournament']}", bearer(announced["token"])
    paths |= {
        "announce_tournament": ("/api/v1/tournaments", {}),
        "enter_tournament": (f"{event}/entrants", {}),
        "enter_bots": (f"{event}/bots", official),
        "appoint_official": (f"{event}/officials", official),
        "ask_of_tournament": (f"{event}/commands", official),
        "sit_at_own_table": (f"{event}/me/seat", official),
        "make_webhook": (f"{event}/webhooks", official),
        "give_seed_to_board": (f"/api/v1/boards/{UUID(int=0)}/commands", seat),
        "begin_season": ("/api/v1/seasons", {}),
        "make_player": ("/api/v1/players", {}),
    }
    paths |= dict.fromkeys(("say_comment", "replace_comment", "let_write"), (f"{table.path}/comments", table.host))
    codes = set()
    for operation, body in bodies():
        path, headers = paths[operation]
        answer = service.client.post(path, json=body, headers=headers)
        check(answer)
        codes.add(answer.json().get("code"))
    assert {"malformed", "bad_name"} <= codes


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 5_000, b'{"rules":{"game":1e999}}', b'"\\ud800"'])
def test_a_text_that_is_no_json_is_told_so(service: Service, body: bytes) -> None:
    answer = service.client.post("/api/v1/matches", content=body, headers={"Content-Type": "application/json"})
    assert answer.json()["code"] == "malformed"
    check(answer)


@pytest.mark.parametrize(
    "query",
    ["?limit=x", "?limit=0", "?limit=99999", "?limit=1.5", "?state=nowhere", "?before=%00", "?limit=1&limit=2x"],
)
def test_a_query_that_is_none_is_told_in_our_words(service: Service, query: str) -> None:
    answer = service.client.get(f"/api/v1/matches{query}")
    check(answer)
    assert {fault["where"] for fault in answer.json()["faults"]} == {query[1:].partition("=")[0]}


@pytest.mark.parametrize("query", ["?version=x", "?version=-1", "?eyes=nobody", "?eyes=0", "?eyes=999"])
def test_a_moment_that_is_none_is_told_in_our_words(service: Service, table: Table, query: str) -> None:
    answer = service.client.get(f"{table.path}/replay{query}")
    assert answer.status_code in {400, 404}
    check(answer)


@pytest.mark.parametrize(
    "query", ["", "?quantity=x", "?quantity=-1&face=3", "?quantity=5&face=99", "?frobnicate=1", "?quantity=1.5"]
)
def test_a_question_about_odds_that_is_none_is_told_in_our_words(service: Service, query: str) -> None:
    answer = service.client.get(f"/api/v1/odds/bid_holds{query}")
    assert answer.json()["code"] == "bad_question"
    check(answer)


def test_what_is_wrong_stands_where_a_program_finds_it(service: Service) -> None:
    answer = service.client.post("/api/v1/matches", json={"rules": {"game": "common_hand", "seats": "4"}})
    assert answer.json() == {
        "type": "/problems/malformed",
        "title": "the request is not what this address takes",
        "status": 400,
        "detail": "rules.seats: this is to be a whole number, and is a text",
        "code": "malformed",
        "faults": [
            {
                "where": "$.rules.seats",
                "pointer": "#/rules/seats",
                "why": "this is to be a whole number, and is a text",
            }
        ],
    }, json.dumps(answer.json())
