"""Seats that sign, as the pages do it: held against the vectors of CUP/1, without a browser."""

from __future__ import annotations

import json
import subprocess
from hashlib import sha256
from pathlib import Path
from time import time
from typing import Any
from uuid import UUID

import pytest

from domain.fairness.chain import next_link
from domain.log import canonical
from domain.match.signing import NO_SIGNATURES, after, key_for, message_for
from infra.keys import Ed25519Signer, ed25519_verify
from tests.fairness.javascript_auditor import NODE, STATIC, VECTORS

RUNNER = Path(__file__).with_name("signing_runner.js")
PUBLISHED = json.loads((VECTORS / "seat_keys.json").read_text(encoding="utf-8"))
OF_KEYS = ("E_UNSIGNED", "E_SIGNED")


def answers(asked: list[dict[str, Any]]) -> list[Any]:
    """Return what the pages say to each question."""
    told = "\n".join(json.dumps(one) for one in asked)
    done = subprocess.run(
        [str(NODE), str(RUNNER), str(STATIC)], input=told, capture_output=True, text=True, check=True, timeout=300
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def record_of(bundle: dict[str, Any]) -> dict[str, Any]:
    record = (VECTORS / bundle["file"]).read_text(encoding="utf-8")
    return {"match": json.loads(record.partition("\n")[0])["stream"].partition("/")[2], "record": record}


def readable() -> list[dict[str, Any]]:
    """Return the published records with no lie but about signatures."""
    return [one for one in PUBLISHED["bundles"] if one["result"].get("code") in (None, *OF_KEYS)]


def test_names_and_handlings_are_sealed_as_published() -> None:
    names = [{"do": "name", **one} for one in PUBLISHED["names"]]
    handlings = [{"do": "sealed", **one} for one in PUBLISHED["handlings"]]
    expected = [one["commit"] for one in PUBLISHED["names"]] + [one["sealed"] for one in PUBLISHED["handlings"]]
    assert answers([*names, *handlings]) == expected


def test_a_key_in_plain_bytes_signs_as_published() -> None:
    asked = [{"do": "signed", "secret": one["private"], "message": one["message"]} for one in PUBLISHED["messages"]]
    assert answers(asked) == [[one["key"], one["sig"]] for one in PUBLISHED["messages"]]


def test_a_seat_goes_on_with_the_key_and_the_number_that_an_audit_finds() -> None:
    sound = [one for one in PUBLISHED["bundles"] if one["result"]["status"] == "OK" and one["result"].get("seats")]
    asked, expected = [], []
    for bundle in sound:
        for seat, found in bundle["result"]["seats"].items():
            asked.append({"do": "standing", "seat": int(seat), **record_of(bundle)})
            replaced = found["recovered"][-1] if found["recovered"] else None
            expected.append([found["key"], found["signed"] - 1, replaced])
    told = answers(asked)
    there = [(one, other) for one, other in zip(told, expected, strict=True) if one is not None]
    assert [one for one, _ in there] == [other for _, other in there]
    assert len(there) > len(told) / 2


def test_whatever_an_audit_finds_unsigned_is_found_at_the_table_on_the_same_line() -> None:
    bundles = readable()
    told = answers([{"do": "look", "seat": 1, **record_of(bundle)} for bundle in bundles])
    expected = [
        ["unsigned line", bundle["result"]["line"] + 1] if bundle["result"].get("code") else None for bundle in bundles
    ]
    # Where lines do not follow one another, that is told of.
    judged = [one for one in zip(bundles, told, expected, strict=True) if (one[1] or [""])[0] != "line"]
    assert [bundle["file"] for bundle, said, audited in judged if said != audited] == []
    assert len(judged) >= len(bundles) - 2


@pytest.mark.parametrize("member", ["key", "name"])
def test_a_seat_that_stands_in_the_record_otherwise_than_it_signed_is_found(member: str) -> None:
    bundle = next(one for one in PUBLISHED["bundles"] if one["file"].endswith("ok-names.cup"))
    record = record_of(bundle)
    lines = [json.loads(line) for line in record["record"].splitlines() if not line.startswith("#")]
    at, data = next((at, one["data"]) for at, one in enumerate(lines) if "name" in one["data"])
    joined = {"key": data["key"], "name": data["name"]}
    other = {**joined, member: "ab" * 32}

    found = answers([{"do": "look", "seat": data["seat"], "joined": one, **record} for one in (joined, other)])

    assert found == [None, ["other seat", at + 1]]


@pytest.mark.parametrize("what", ["held", "record"], ids=["to sign", "to draw and to check dice"])
def test_only_lines_behind_those_that_are_held_are_asked_for_and_one_that_was_another_before_is_found(
    what: str,
) -> None:
    bundle = record_of(readable()[0])
    steps: list[list[Any]] = [[5], [6], [6], [4], [7, ['"at":1', '"at":2']]]
    ((asked, found),) = answers([{"do": what, "steps": steps, **bundle}])
    assert asked == ["", *(f"?after={held}" for held in (1, 2, 3, 4, 4, 5, 5, 5, 5))]
    assert found == [5, 6, 6, 6, ["another", 6]]


SECRET = bytes(range(32))
"""A private key that the host of a published match names the public one of."""


def named(ago_ms: int) -> tuple[dict[str, Any], list[bytes]]:
    """Return a published match whose host named the key of SECRET that long ago, and its lines."""
    told = record_of(next(one for one in PUBLISHED["bundles"] if one["file"].endswith("ok-recovered.cup")))
    lines = [line for line in told["record"].splitlines() if not line.startswith("#")]
    at = next(at for at, line in enumerate(lines) if json.loads(line)["type"] == "seat.keyed")
    keyed = json.loads(lines[at])
    keyed["data"]["key"] = Ed25519Signer(SECRET).public_key.hex()
    keyed["at"] = int(time() * 1000) - ago_ms
    whole = [*(line.encode() for line in lines[:at]), canonical.encode(keyed)]
    assert keyed["prev"] == sha256(whole[-2]).hexdigest()
    record = "".join(line.decode() + "\n" for line in whole)
    return {"match": told["match"], "seat": keyed["data"]["seat"], "record": record, "secret": SECRET.hex()}, whole


def test_a_key_that_the_host_has_named_signs_when_the_old_one_has_been_silent_for_long_enough() -> None:
    asked, lines = named(121_000)
    ((order, *again),) = answers([{"do": "order", "asks": [{"type": "challenge"}, {"type": "challenge"}], **asked}])
    match, seat, signing, before = UUID(asked["match"]).bytes, asked["seat"], NO_SIGNATURES, None
    for line in lines:
        before = next_link(line, before)
        signing = after(signing, match, before)
    one = order["signed"]
    message = message_for(signing, match, seat, one["n"], one["version"], {"type": "challenge"})
    key = key_for(signing.seats[seat], int(time() * 1000), message, bytes.fromhex(one["sig"]), ed25519_verify)
    assert key == Ed25519Signer(SECRET).public_key.hex()
    assert again == [order], "until its line is there, the next one has the same number"


def test_before_that_nothing_is_signed_and_the_player_is_told_so() -> None:
    asked, _ = named(60_000)
    assert answers([{"do": "order", "asks": [{"type": "challenge"}], **asked}]) == ["lost_key"]
