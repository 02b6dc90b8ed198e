"""The AsyncAPI document against what is really said on a socket, both ways."""

from __future__ import annotations

import json
import random
from typing import Any

import jsonschema_rs
import pytest

from domain.errors import CODES
from domain.match.record import fold
from projections.casting.caster import CHANNELS, caster_frame, closed_by
from services.api.bodies import BODIES
from services.api.reference.asyncapi import describe_socket
from services.http.problems import PROBLEMS
from services.matches.watching.telling import Telling, written
from tests.api.conftest import Service, Table
from tests.domain.test_every_game import begun, play_on
from tests.socket.speaking import Speaker, key, token_of

DOCUMENT: dict[str, Any] = json.loads(json.dumps(describe_socket()))
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
Match = tuple[Table, dict[str, str], dict[str, str]]


def resolved(ref: str) -> Any:
    found: Any = DOCUMENT
    for part in ref.removeprefix("#/").split("/"):
        found = found[part]
    return found


def names_of(messages: list[dict[str, str]]) -> list[str]:
    """Return the names of the messages that an operation refers to."""
    return [resolved(resolved(message["$ref"])["$ref"])["name"] for message in messages]


def is_valid(name: str, message: object) -> bool:
    """Report whether a message is as the document says."""
    payload = DOCUMENT["components"]["messages"][name]["payload"]
    schema = {"$schema": DRAFT_7, "allOf": [payload], "components": DOCUMENT["components"]}
    return jsonschema_rs.is_valid(schema, message)


def kinds_of(message: object) -> set[str]:
    """Return the names of all messages that this one may be."""
    return {name for name in DOCUMENT["components"]["messages"] if is_valid(name, message)}


def kind_of(message: dict[str, Any]) -> str:
    """Return what a message of the service is, by its members."""
    told = {"snapshot", "frame", "ended", "bye", "beat"} & set(message)
    if told:
        return told.pop()
    if "code" in message:
        return "refusal"
    return "commandAnswer" if "head" in message else "watchAnswer" if "version" in message else "unwatchAnswer"


def refs(node: object) -> set[str]:
    match node:
        case {"$ref": ref}:
            return {ref}
        case dict():
            return set().union(*map(refs, node.values()))
        case list():
            return set().union(*map(refs, node))
        case _:
            return set()


def test_it_is_served_and_has_an_entity_tag(service: Service) -> None:
    answer = service.client.get("/asyncapi.json")
    assert answer.json() == DOCUMENT
    again = service.client.get("/asyncapi.json", headers={"If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304


def test_whatever_it_refers_to_is_there() -> None:
    assert DOCUMENT["asyncapi"] == "3.0.0"
    for ref in refs(DOCUMENT):
        assert resolved(ref)
    operations = DOCUMENT["operations"]
    assert names_of(operations["command"]["reply"]["messages"]) == ["commandAnswer", "refusal"]
    assert names_of(operations["follow"]["messages"]) == ["snapshot", "frame", "phrase", "ended", "bye", "beat"]
    bodies = DOCUMENT["components"]["schemas"]["CommandMessage"]["properties"]["command"]
    assert len(bodies["anyOf"]) == len(BODIES)


def test_every_channel_and_every_message_is_told_of_somewhere() -> None:
    told = {message["$ref"] for one in DOCUMENT["operations"].values() for message in one["messages"]}
    told |= {
        message["$ref"]
        for one in DOCUMENT["operations"].values()
        for message in one.get("reply", {}).get("messages", ())
    }
    assert {
        f"#/channels/{name}/messages/{each}" for name, one in DOCUMENT["channels"].items() for each in one["messages"]
    } == told


@pytest.mark.parametrize("path", ["stream?after=0", "caster?after=0"])
def test_what_comes_on_a_stream_is_as_it_says(service: Service, match: Match, path: str) -> None:
    table, first, _ = match
    table.play(table.host, {"type": "end_match"})
    headers = {"Accept": "application/x-ndjson", **first}
    with service.client.stream("GET", f"{table.path}/{path}", headers=headers) as answer:
        items = [json.loads(line) for line in answer.iter_lines() if line]
    names = {"snapshot": "streamSnapshot", "event": "streamFrame", "phrase": "streamPhrase", "ended": "streamEnded"}
    kinds = [next(name for member, name in names.items() if member in item) for item in items]
    assert [(kind, item) for kind, item in zip(kinds, items, strict=True) if not is_valid(kind, item)] == []
    assert {"streamSnapshot", "streamFrame", "streamEnded"} <= set(kinds)


@pytest.mark.parametrize("game", ["common_hand", "mexican"])
def test_what_may_be_said_of_a_match_is_as_it_says(game: str) -> None:
    played = begun(game, drawn := random.Random("said"))
    play_on(played, drawn, 60)
    steps, telling = list(fold(played.lines)), Telling(frozenset(CHANNELS), "es")
    frames = [closed_by(caster_frame(*step), steps[: number + 1]) for number, step in enumerate(steps)]
    told = [json.loads(written(frame, telling)) for frame in frames]
    assert [item for item in told if not is_valid("casterFrame", item)] == []
    assert is_valid("casterSnapshot", {"snapshot": told[-1]})
    assert all(said["words"].endswith(".") for item in told for said in item["text"])
    assert all(any(channel in item for item in told) for channel in ("odds", "late"))


def test_it_names_codes_that_there_are_and_those_of_rules_among_them() -> None:
    told = DOCUMENT["operations"]["command"]["description"]
    assert "`claim_not_higher`" in told
    assert "`key_reused`" in told
    assert set(CODES) < set(PROBLEMS)


def test_what_is_said_is_as_it_says(speaker: Speaker, match: Match) -> None:
    table, first, _ = match
    about = {"match": table.id, "token": token_of(first), "key": key()}
    asked: list[tuple[str, dict[str, Any]]] = [
        ("watch", {"id": 1, "do": "watch", "match": table.id, "after": 3, "token": token_of(first)}),
        ("command", {"id": "b", "do": "command", **about, "command": {"type": "bid", "quantity": 1, "face": 3}}),
        ("command", {"id": "r", "do": "command", **about, "key": key(), "at": 5, "command": {"type": "challenge"}}),
        ("unwatch", {"id": 2, "do": "unwatch", "watch": 1}),
    ]
    for kind, message in asked:
        assert kinds_of(message) == {kind}
        speaker.kept.append(speaker.ask(**message))
    speaker.kept.append(speaker.hear())
    speaker.watch(table)
    ended = speaker.play(table, table.host, {"type": "end_match"})
    said = [*speaker.kept, ended, speaker.hear(), speaker.hear(), {"beat": True}]
    kinds = [kind_of(message) for message in said]
    assert [(kind, message) for kind, message in zip(kinds, said, strict=True) if not is_valid(kind, message)] == []
    told = {"watchAnswer", "snapshot", "frame", "commandAnswer", "refusal", "unwatchAnswer", "bye", "ended", "beat"}
    assert set(kinds) == told


@pytest.mark.parametrize(
    "message",
    [
        {"id": 1, "do": "watch"},
        {"id": 1, "do": "watch", "match": "00000000-0000-4000-8000-000000000000", "key": "k"},
        {"id": -1, "do": "unwatch", "watch": 1},
        {"id": 1.5, "do": "unwatch", "watch": 1},
        {"id": "x" * 65, "do": "unwatch", "watch": 1},
        {"do": "unwatch", "watch": 1},
    ],
)
def test_what_it_does_not_allow_is_refused(speaker: Speaker, message: dict[str, Any]) -> None:
    assert kinds_of(message) == set()
    speaker.say(message)
    assert speaker.hear()["code"] == "malformed"
