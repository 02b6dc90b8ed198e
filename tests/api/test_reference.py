"""The reference of the interface as a page: everything the description has, each in its place."""

from __future__ import annotations

import re

import msgspec
import pytest

from services.api import bodies
from services.api.reference.openapi import EXAMPLES
from services.web.reference import reference_of
from tests.api.conftest import Service

BODIES = {
    "open_match": bodies.OpenMatch,
    "join_match": bodies.JoinMatch,
    "seat_bots": bodies.SeatBots,
    "say_phrase": bodies.SayPhrase,
}


@pytest.mark.parametrize("operation", EXAMPLES)
def test_every_example_of_a_body_is_one(operation: str) -> None:
    for body in EXAMPLES[operation].values():
        msgspec.convert(body, BODIES.get(operation, bodies.AnyPlay))


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
