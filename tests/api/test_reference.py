"""The reference of the interface as a page: everything the description has, each in its place."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.api import bodies
from services.api.commentary import bodies as of_comments
from services.api.reference import examples
from services.api.seasons import bodies as of_seasons
from services.api.tournaments import bodies as of_tournaments
from services.web.reference import LINE_MAX, laid_out, quoted, reference_of
from tests.api.conftest import Service

BODIES = {
    "open_match": bodies.OpenMatch,
    "join_match": bodies.JoinMatch,
    "seat_bots": bodies.SeatBots,
    "name_key": bodies.NameSeatKey,
    "take_key": bodies.TakeSeatKey,
    "ask_for_rematch": bodies.SitAgain,
    "say_phrase": bodies.SayPhrase,
    "announce_tournament": of_tournaments.Announce,
    "enter_tournament": of_tournaments.EnterTournament,
    "enter_bots": of_tournaments.EnterBots,
    "appoint_official": of_tournaments.AppointOfficial,
    "sit_at_own_table": of_tournaments.SitAtOwnTable,
    "ask_of_tournament": of_tournaments.AnyTournamentAsk,
    "make_webhook": of_tournaments.MakeWebhook,
    "give_seed_to_board": of_tournaments.GiveSeedHash | of_tournaments.OpenSeedOfLots,
    "say_comment": of_comments.SayComment,
    "replace_comment": of_comments.SayInstead,
    "let_write": of_comments.LetWrite,
    "begin_season": of_seasons.BeginSeason,
    "make_player": of_seasons.MakePlayer,
}


@pytest.mark.parametrize("operation", examples.BODIES)
def test_every_example_of_a_body_is_one(operation: str) -> None:
    for body in examples.BODIES[operation].values():
        msgspec.convert(body, BODIES.get(operation, bodies.AnyPlay))


def operations_of(service: Service) -> dict[str, dict[str, Any]]:
    """Return every operation of the document, by its name."""
    paths = service.client.get("/openapi.json").json()["paths"]
    return {told["operationId"]: told for methods in paths.values() for told in methods.values()}


@pytest.mark.parametrize("status", ["200", "201"])
def test_every_link_leads_to_an_operation_with_all_that_its_address_needs(service: Service, status: str) -> None:
    operations, links = operations_of(service), 0
    for name, told in operations.items():
        for following, link in told["responses"].get(status, {}).get("links", {}).items():
            links += 1
            needs = parameters_of(operations[following], "path")
            assert link == {"operationId": following, "parameters": link["parameters"]}
            assert set(link["parameters"]) == needs, (name, following)
            for parameter, said in link["parameters"].items():
                where, _, member = said.removeprefix("$").rpartition("/" if "#" in said else ".")
                known = {"response.body#": examples.answers()[name], "request.path": parameters_of(told, "path")}
                assert member in known[where], (name, following, parameter)
    assert links


def parameters_of(operation: dict[str, Any], where: str) -> set[str]:
    """Return the names of the parameters of an operation that stand in a part of its requests."""
    return {one["name"] for one in operation["parameters"] if one["in"] == where}


def good(operation: dict[str, Any]) -> dict[str, Any]:
    """Return what an operation answers when it went well, by media type."""
    content: dict[str, Any] = next(reply for status, reply in operation["responses"].items() if status[0] == "2")[
        "content"
    ]
    return content


def test_every_operation_has_an_example_of_what_it_takes_and_of_what_it_answers(service: Service) -> None:
    without: set[str] = set()
    for name, told in operations_of(service).items():
        takes = [*told.get("parameters", ()), *told.get("requestBody", {}).get("content", {}).values()]
        shown = [each for each in (*takes, *good(told).values()) if "example" in each or "examples" in each]
        bytes_only = set(good(told)) <= {"application/octet-stream", "application/zip"}
        if not shown or not (bytes_only or all("examples" in each for each in good(told).values())):
            without.add(name)
        if not all("examples" in each for each in told.get("requestBody", {}).get("content", {}).values()):
            without.add(name)
    assert not without


def test_every_operation_says_more_of_itself_than_its_name(service: Service) -> None:
    told = operations_of(service)
    assert not [name for name, each in told.items() if each["description"] in {"", each["summary"]}]
    assert not [name for name, each in told.items() if "Raises:" in each["description"]]


def test_every_example_of_an_answer_is_one(service: Service) -> None:
    components = service.client.get("/openapi.json").json()["components"]
    told = operations_of(service)
    assert set(examples.answers()) <= set(told)
    for name in examples.answers():
        for content in good(told[name]).values():
            answer = content["examples"]["usual"]["value"]
            schema = {**content["schema"], "components": components}
            items = (
                [schema]
                if "x-itemSchema" not in schema
                else [schema, {**schema["x-itemSchema"], "components": components}]
            )
            for each, value in zip(items, [answer, item_of(answer)], strict=False):
                assert jsonschema_rs.is_valid(each, value), (
                    name,
                    [str(one) for one in jsonschema_rs.iter_errors(each, value)],
                )


def test_no_two_schemas_have_one_name(service: Service) -> None:
    """Generators of clients stumble over two of one name, which msgspec calls by their modules then."""
    assert [name for name in service.client.get("/openapi.json").json()["components"]["schemas"] if "." in name] == []


OPEN = {"Report"}
"""What says of itself that further members say more."""


def undescribed(schema: dict[str, Any], told: object, schemas: dict[str, Any]) -> set[str]:
    """Return the members of an answer that its schema does not name, at any depth."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return set() if name in OPEN else undescribed(schemas[name], told, schemas)
    if ways := schema.get("anyOf") or schema.get("oneOf"):
        return min((undescribed(way, told, schemas) for way in ways), key=len)
    if isinstance(told, list):
        return set().union(*(undescribed(schema.get("items", {}), each, schemas) for each in told))
    members = schema.get("properties", {})
    if not isinstance(told, dict) or not members:
        return set()
    inner = (undescribed(members[name], each, schemas) for name, each in told.items() if name in members)
    return (set(told) - set(members)).union(*inner)


def test_an_answer_has_no_member_of_which_nothing_is_said(service: Service) -> None:
    schemas = service.client.get("/openapi.json").json()["components"]["schemas"]
    for name, told in operations_of(service).items():
        answer, content = examples.answers().get(name), good(told).get("application/json")
        if content is not None:
            assert undescribed(content["schema"], answer, schemas) == set(), name


def item_of(answer: object) -> object:
    """Return the first item of an answer that comes item by item: that of a line, or the data of an event."""
    lines = answer.splitlines() if isinstance(answer, str) else []
    data = [line.removeprefix("data: ") for line in lines if line.startswith(("data: ", "{"))]
    return json.loads(data[0]) if data else None


def test_no_example_of_an_answer_has_a_token_that_anybody_holds() -> None:
    assert set(re.findall(r"truecup_(?:host|seat|player)_(\w+)", json.dumps(examples.answers()))) == {"A" * 43}


def test_every_parameter_says_what_it_means(service: Service) -> None:
    paths = service.client.get("/openapi.json").json()["paths"]
    told = [
        (path, each)
        for path, methods in paths.items()
        for one in methods.values()
        for each in one.get("parameters", ())
    ]
    assert not [(path, each["name"]) for path, each in told if not each.get("description")]


def test_the_page_has_every_operation_and_every_schema_once_and_leads_nowhere_else(service: Service) -> None:
    described = service.client.get("/openapi.json").json()
    page = service.client.get("/docs").text
    named = {told["operationId"] for methods in described["paths"].values() for told in methods.values()}
    places = re.findall(r'<h[23] id="([^"]+)"', page)
    assert len(places) == len(set(places))
    assert named | set(described["components"]["schemas"]) <= set(places)
    assert set(re.findall(r'href="#([^"]+)"', page)) <= {*places, "main"}


def test_what_every_operation_may_answer_is_said_once(service: Service) -> None:
    reference = reference_of(service.client.get("/openapi.json").json())
    common = {code for code, _ in reference.everywhere}
    assert "malformed" in common
    said = [code for each in reference.operations for reply in each.replies for code, _ in reply.codes]
    assert not common & set(said)


def test_the_page_says_of_every_code_what_it_is_and_where_it_is_read_about(service: Service) -> None:
    page = service.client.get("/docs").text
    for code in set(re.findall(r'href="/problems/([a-z_]+)"', page)):
        assert service.client.get(f"/problems/{code}").status_code == 200, code


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_an_example_is_the_same_laid_out_and_no_list_is_broken_that_fits_into_a_line(value: Any) -> None:
    shown = laid_out(value)
    assert json.loads(shown) == value
    whole = json.dumps(value, ensure_ascii=False)
    assert not isinstance(value, dict | list) or ("\n" in shown) is (len(whole) > LINE_MAX)


@given(st.text())
def test_a_text_between_two_tags_has_its_quotes_and_opens_no_tag(text: str) -> None:
    shown = quoted(text)
    assert unescape(shown) == text
    assert not {"<", ">"} & set(shown)
    assert shown.count('"') == text.count('"')
