"""The OpenAPI document, and the running interface held against it by schemathesis."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

import jsonschema_rs
import msgspec
import pytest
import schemathesis
from hypothesis import HealthCheck, note, settings
from schemathesis import Case
from schemathesis.checks import load_all_checks
from schemathesis.config import SchemathesisConfig
from schemathesis.core.parameters import ParameterLocation
from schemathesis.core.result import Ok
from schemathesis.generation.feedback import FeedbackSources
from schemathesis.pytest._test_builder import build_operation_test
from schemathesis.schemas import APIOperation, BaseSchema

from domain.match.settings import HOUSE_IDLE
from services.api.application import create_app
from services.api.dependencies import Dependencies
from services.api.reference.openapi import describe
from services.http.bounds import Bounds
from services.http.front.rates import Rate
from services.http.game_cards import cards
from services.http.problems import PROBLEMS
from tests.api.conftest import Service, Table, served
from tests.api.described import CHECKS, STREAMS, is_sound, set_right
from tests.api.documented import ANYWHERE, ON_PAGES
from tests.api.house import House
from tests.sizes import cases, is_long, spread

HOUSE = House()
DOCUMENT = describe(create_app(Dependencies(cast(Any, HOUSE), HOUSE, HOUSE, HOUSE.report, cards())))
OPERATIONS = [
    (f"{method.upper()} {path}", method)
    for path, told in DOCUMENT["paths"].items()
    for method in told
    if told[method]["operationId"] not in STREAMS
]
LABELS = [label for label, _ in OPERATIONS]
"""What can be asked, each by its method and path; the tests of each are made where they run, and not collected anew."""
EDGED = {label for label, _ in spread(OPERATIONS, 8, lambda one: one[1])}
"""The operations of which each member's edges are tried: some of every method."""


def operations(*, every_edge: bool) -> BaseSchema:
    """Return the document as it is served, without the streams, which do not end.

    Args:
        every_edge: Whether each member's edges are tried one by one, thousands of requests, besides random requests.
    """
    config = SchemathesisConfig.from_dict({"checks": CHECKS, "phases": {"coverage": {"enabled": every_edge}}})
    found = schemathesis.openapi.from_dict(DOCUMENT, config=config)
    return found.exclude(operation_id=STREAMS)


@pytest.fixture(scope="module")
def edges() -> dict[str, APIOperation]:
    return by_label(operations(every_edge=True))


@pytest.fixture(scope="module")
def document() -> dict[str, APIOperation]:
    return by_label(operations(every_edge=is_long()))


def by_label(schema: BaseSchema) -> dict[str, APIOperation]:
    """Return each operation of a document, all of which can be read."""
    load_all_checks()
    every: dict[str, APIOperation] = {}
    for found in schema.get_all_operations():
        assert isinstance(found, Ok), found
        every[found.ok().label] = found.ok()
    return every


RANDOM = settings(max_examples=cases(3, 100), deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def described() -> Iterator[tuple[Service, Table, dict[str, str]]]:
    """Return a running service with a match in play, and the header of the seat that is to act."""
    many = Rate(1_000_000)
    with served(Bounds(writes_per_s=1_000_000, audits_per_s=1_000_000, phrases=many, dear=many)) as running:
        table = Table(running)
        seat = table.join("Ada")
        table.join("Bob")
        table.start()
        yield running, table, seat


@pytest.mark.parametrize("label", [label for label in LABELS if label in EDGED])
def test_the_interface_does_what_its_document_says_at_every_edge(
    label: str, edges: dict[str, APIOperation], described: tuple[Service, Table, dict[str, str]]
) -> None:
    @RANDOM
    def ask(case: Case[Any]) -> None:
        hold_against_the_document(case, "host", *described)

    try_out(edges[label], ask)


@pytest.mark.parametrize("label", LABELS)
def test_the_interface_does_what_its_document_says(
    label: str, document: dict[str, APIOperation], described: tuple[Service, Table, dict[str, str]]
) -> None:
    @RANDOM
    def ask(case: Case[Any]) -> None:
        for asker in ("nobody", "seat", "host"):
            note(f"asked by {asker}")
            hold_against_the_document(case, asker, *described)

    try_out(document[label], ask)


def try_out(operation: APIOperation, ask: Callable[[Case[Any]], None]) -> None:
    """Try an operation with requests that schemathesis makes for it, which it does in the one worker that runs this."""
    made = build_operation_test(
        config=operation.schema.config,
        operation=operation,
        test_func=ask,
        given_kwargs={},
        feedback=FeedbackSources(),
    )
    made()


def hold_against_the_document(
    case: Case[Any], asker: str, service: Service, table: Table, seat: dict[str, str]
) -> None:
    """Ask what a case asks, as somebody, and hold the answer against the document."""
    headers = (
        {"nobody": None, "seat": seat, "host": table.host}[asker] if is_sound(case, ParameterLocation.HEADER) else None
    )
    if headers is not None and "match_id" in case.path_parameters and is_sound(case, ParameterLocation.PATH):
        case.path_parameters["match_id"] = table.id
    set_right(case)
    case.call_and_validate(base_url=service.url, headers=headers)


def test_the_document_names_every_problem(service: Service) -> None:
    document = service.client.get("/openapi.json").json()
    named = {
        code
        for path in document["paths"].values()
        for operation in path.values()
        for response in operation["responses"].values()
        for code in response.get("content", {}).get("application/problem+json", {}).get("examples", {})
    }

    assert set(PROBLEMS) - named == ANYWHERE | ON_PAGES


def test_commands_are_told_apart_by_their_type(service: Service) -> None:
    document = service.client.get("/openapi.json").json()
    body = document["paths"]["/api/v1/matches/{match_id}/commands"]["post"]["requestBody"]

    asked = body["content"]["application/json"]["schema"]

    assert asked["discriminator"]["propertyName"] == "type"
    told = {"bid", "challenge", "commit_seed", "resign", "close_session", "end_match"}
    assert set(asked["discriminator"]["mapping"]) >= told


def test_what_becomes_of_a_table_at_which_people_stop_is_in_the_document(service: Service) -> None:
    schemas = service.client.get("/openapi.json").json()["components"]["schemas"]
    rule = schemas["Idle"]["properties"]

    assert {name: told["default"] for name, told in rule.items() if "default" in told} == msgspec.to_builtins(
        HOUSE_IDLE
    )
    assert {name for name, told in rule.items() if "default" not in told} == {"then"}, "left out, it is no member"
    assert {"type": "null"} in schemas["RulesAsked"]["properties"]["idle"]["anyOf"]


def test_every_schema_of_the_document_is_one(service: Service) -> None:
    document = service.client.get("/openapi.json").json()

    for name, told in document["components"]["schemas"].items():
        assert jsonschema_rs.meta.is_valid({**told, "$schema": "https://json-schema.org/draft/2020-12/schema"}), name
