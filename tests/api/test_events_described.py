"""Events as both descriptions have them, against events as frames tell them."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest

from domain import events
from domain.log import canonical
from domain.match.record import TYPES, event_of
from projections.frames import PROOFS, public_event
from services.api.answers import Frame
from services.api.reference.asyncapi import describe_socket
from services.api.reference.schemas import schemas_of
from tests.api.conftest import Service

ZOO = sorted((Path(__file__).parents[1] / "zoo").rglob("*.cup"))
DRAFT_7 = "http://json-schema.org/draft-07/schema#"


@functools.cache
def schemas() -> dict[str, Any]:
    """Return the schemas of whatever a frame refers to."""
    return schemas_of([Frame])[1]


def schema_of(tag: str) -> dict[str, Any]:
    """Return the schema of the events of a type."""
    found: dict[str, Any] = schemas()[schemas()["Event"]["discriminator"]["mapping"][tag].rpartition("/")[2]]
    return found


@functools.cache
def told() -> list[dict[str, Any]]:
    """Return whatever frames tell of the matches in the zoo, once a type and set of members."""
    lines = (line for path in ZOO for line in path.read_bytes().splitlines() if line.endswith(b'"v":1}'))
    happened = (public_event(event_of(line)[0]) for line in lines if canonical.decode(line)["type"] in TYPES)
    return list({(event["type"], *event): event for event in happened}.values())


def test_every_type_of_the_log_has_a_schema_of_its_own() -> None:
    mapping = schemas()["Event"]["discriminator"]["mapping"]
    assert set(mapping) == set(TYPES)
    assert len(set(mapping.values())) == len(TYPES)
    assert [each["$ref"] for each in schemas()["Event"]["anyOf"]] == list(mapping.values())
    assert {tag: schema_of(tag)["properties"]["type"]["enum"] for tag in TYPES} == {tag: [tag] for tag in TYPES}


@pytest.mark.parametrize("tag", TYPES)
def test_a_schema_has_the_members_that_the_log_has_and_asks_for_those_that_are_always_there(tag: str) -> None:
    fields = [
        field for field in msgspec.structs.fields(TYPES[tag]) if tag != "cup.revealed" or field.name not in PROOFS
    ]
    schema = schema_of(tag)
    assert set(schema["properties"]) == {"type", *(field.encode_name for field in fields)}
    assert set(schema["required"]) == {"type", *(field.encode_name for field in fields if field.required)}


def test_what_frames_tell_is_as_both_documents_say(service: Service) -> None:
    assert {event["type"] for event in told()} > {"match.created", "cup.revealed", "game.judged", "game.posted"}
    for document, dialect in (
        (service.client.get("/openapi.json").json(), {}),
        (describe_socket(), {"$schema": DRAFT_7}),
    ):
        components = json.loads(json.dumps(document["components"]))
        validator = jsonschema_rs.validator_for(
            {**dialect, "allOf": [{"$ref": "#/components/schemas/Event"}], "components": components}
        )
        assert [event for event in told() if not validator.is_valid(event)] == []


def test_an_event_is_what_its_type_says_and_nothing_else() -> None:
    validator = jsonschema_rs.validator_for(
        {"allOf": [{"$ref": "#/components/schemas/Event"}], "components": {"schemas": schemas()}}
    )
    assert not validator.is_valid({"type": "game.bid", "seat": 1, "quantity": 2})
    assert not validator.is_valid({"type": "game.bid", "seat": "1", "quantity": 2, "face": 3})
    assert not validator.is_valid({"type": "game.unheard_of", "seat": 1})


def test_the_last_verdict_is_an_event_without_its_type() -> None:
    verdicts = [event for event in told() if event["type"] == "game.judged"]
    validator = jsonschema_rs.validator_for(
        {"allOf": [schemas()["View"]["properties"]["last"]], "components": {"schemas": schemas()}}
    )
    members = set(schemas()["Verdict"]["properties"])
    for verdict in verdicts:
        last = {name: each for name, each in verdict.items() if name != "type"}
        assert validator.is_valid(last)
        assert set(last) == members
    assert validator.is_valid(None)
    assert not validator.is_valid({"kind": "challenge"})
    assert members == {field.encode_name for field in msgspec.structs.fields(events.Judged)}
