"""The records by which a missing check is noticed, and the checks whose absence nobody can notice."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from random import Random
from typing import Any

from domain.fairness.records import assemble
from domain.log import merkle
from domain.log.notes import ED25519, Key
from domain.log.proofs import Inclusion, anchor_entry
from tests.fairness.javascript_auditor import Ask, published
from tests.fairness.random_mutations import mutants, policies
from tests.fairness.rewritten_records import Event, chained, events_of
from tests.fairness.scripted_server import ANSWER, BEACON, ORIGIN, STREAM, Story
from tests.fairness.shared_records import shared_records
from tests.fairness.sole_checks import records_of_sole_checks
from tests.fairness.test_audit import LIES, MALFORMED, OUT_OF_TURN
from tests.log.odd_points import fitting, refused

SEED = 1_000
EQUIVALENT: dict[tuple[str, str], str] = {
    (
        "canonical.js",
        "if (!isObject(value)) throw new Malformed('the line is not an object');",
    ): "the members of an event line are asked for next, and nothing but an object has any",
    (
        "canonical.js",
        "throw new Malformed('the line is not JSON');",
    ): "nothing is then made of the line, and nothing is not an object",
    (
        "formulas.js",
        "if (last === 0n) return null;",
    ): "a longer path leads to another root, or SHA-256 is broken",
    (
        "merkle.js",
        "if (old.size < 1n || old.size > tree.size) return false;",
    ): "an empty log holds no earlier anchor, and a smaller one cannot hold the last line, which names the larger",
    (
        "notes.js",
        "if (typed[0] !== ED25519 && typed[0] !== COSIGNATURE) throw new Malformed('a verifier key is Ed25519');",
    ): "such a key is neither a log's nor a witness's, which the policy asks next",
    (
        "notes.js",
        "if (cut < 0) throw new Malformed('a note is a text, an empty line and signature lines');",
    ): "a text without an empty line has not the three lines of a checkpoint before it",
    (
        "proofs.js",
        "if (lines.length > HASHES_MAX) throw new Malformed('a proof is no longer than a tree is high');",
    ): "a path of so many hashes leads to no root of a tree of any size",
    (
        "proofs.js",
        "if (gap < 0) throw new Malformed('a proof ends in a checkpoint');",
    ): "what is left of the text then has no empty line, and is no checkpoint",
}
"""Checks that can be left out and change no verdict, by file and line, each with the reason."""


def about_checks() -> list[str]:
    """Return the records that between them come by every check, as the runner reads them."""
    stories = [*OUT_OF_TURN.values(), *MALFORMED.values(), *(story for story, _ in LIES.values())]
    forged = [Ask(record) for story in stories for record in (story.bare(), story.record())]
    read = [Ask(Story().to_end().record(), policy) for policy in policies(Random(SEED), 600)]
    asked = [
        *records_of_sole_checks(),
        *published().values(),
        *forged,
        *read,
        *mutants(SEED, 2_500),
        *malformed_records(),
    ]
    alone = [ask.written(alone=True) for ask in malformed_records()]
    return [*(ask.written() for ask in asked), *alone, *about_boards()]


def about_members() -> list[str]:
    """Return records in which one member of one event is not what it has to be."""
    return [
        *(ask.written() for ask in records_of_sole_checks()),
        *(Ask(record, None).written() for record in misshapen()),
        *about_boards(),
    ]


def about_boards() -> list[str]:
    """Return records of boards and of their matches, each with what the record of its board says, if that is there."""
    names = ("board", "number", "cups", "ctx", "root", "mix", "head")
    return [
        Ask(record, None).written(shared=None if said is None else dict(zip(names, said, strict=True)))
        for _, record, said in shared_records()
    ]


def malformed_records() -> list[Ask]:
    """Return records with signatures about which libraries differ."""
    story = Story().created().ended()
    leaf = merkle.leaf_hash(anchor_entry(STREAM, 1, story.head, "final"))
    text = f"{ORIGIN}\n1\n{b64encode(leaf).decode()}\n"
    asks = []
    for one in (*fitting(text.encode()).values(), *refused(text.encode()).values()):
        key = Key(ORIGIN, ED25519, one.key)
        note = f"{text}\n\u2014 {ORIGIN} {b64encode(key.id + one.value).decode()}\n"
        asks.append(Ask(assemble(story.lines, Inclusion(0, (), note)), f"log {key}\nquorum none\n"))
    return asks


# ---- members ---------------------------------------------------------------------------------------

WRONG: dict[type, tuple[Any, ...]] = {
    int: ("0", None, True, -1, 0, 255, 256, 65_536, [0]),
    str: (0, None, "x", "0" * 63, "A" * 64, "0" * 64 + "\n", []),
    type(None): (False, 0, "x", []),
    list: ({}, None, "x"),
    dict: ([], None, "x"),
}


def misshapen() -> Iterator[bytes]:
    """Yield a match up to an event one member of which is wrong, for every member of every event and every wrong."""
    for story in _telling():
        events = events_of(story.bare())
        seen = set[str]()
        for at, event in enumerate(events):
            for way in () if event["type"] in seen else _places(event):
                for wrong in WRONG[type(_at(event, way))]:
                    yield b"".join(line + b"\n" for line in _changed(events[: at + 1], way, wrong))
            seen.add(event["type"])


def _telling() -> list[Story]:
    """Return matches with every type of event between them."""
    beacon = Story().to_logged(beacon=BEACON).opened(1, 2).fixed().ready(beacon=ANSWER).rolled().revealed().closed()
    left = Story().created().joined(1, 2).say("seat.left", seat=2, reason="left").committed().voided(1)
    return [beacon.ended(), left]


def _places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in list(items)[-8:]:
        if name not in {"prev", "seq"}:
            yield (*way, name)
            yield from _places(item, (*way, name))


def _at(value: Any, way: tuple[Any, ...]) -> Any:
    return _at(value[way[0]], way[1:]) if way else value


def _changed(events: list[Event], way: tuple[Any, ...], wrong: Any) -> list[bytes]:
    last = json.loads(json.dumps(events[-1]))
    _at(last, way[:-1])[way[-1]] = wrong
    return chained([*events[:-1], last])
