"""A certificate holds as it was made; any single change of it, of its input or of the roll is refused, by its code."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.tournaments.certificates import FILE_BYTES_MAX, CertificatePlace, check, check_file, make
from domain.tournaments.pairing.lots import Lots
from domain.tournaments.pairing.pods.inputs import PairingInput, Weights, input_hash, input_of
from domain.tournaments.pairing.pods.law import Pods, pair, round_of
from domain.tournaments.pairing.sizes import TableSizes
from tests.sizes import cases
from tests.tournaments.fields import field, fields, plain, table_sizes

CODES = [
    "C_FORMAT",
    "C_DRAW",
    "C_INPUT",
    "C_BYE",
    "C_SIZES",
    "C_PLAYERS",
    "C_FORBIDDEN",
    "C_COST",
    "C_BOUND",
    "C_METHOD",
    "C_OPTIMUM",
    "C_ENGINE",
    "C_SEATING",
]
ROLL = bytes(range(32))
PLACE = CertificatePlace("0d313c0f-e94d-4095-a559-368ff4e15087", 1, 6, 115, "ab" * 32, 0, ROLL.hex())
FOURS = TableSizes(4, 3, 4)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def certified(value: PairingInput, pods: Pods) -> dict[str, Any]:
    return plain(make(PLACE, value, pods))


@cache
def made(entrants: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a certificate and its input, for a bye, a fixed table, a pair that may not meet."""
    value = plain(field(random.Random(entrants), entrants, TableSizes(4, 4, 4), Weights(16, 1, 1, 1)))
    numbers = [each["n"] for each in value["players"]]
    value["fixed"] = [numbers[2:6]]
    value["forbidden"] = [[numbers[0], numbers[1]]]
    read = input_of(value)
    return certified(read, pair(read, Lots(ROLL, 1, 6))), value


def verdict(certificate: object, value: object) -> str:
    return check(certificate, value, list(ROLL))


@settings(max_examples=cases(15, 300))
@given(fields((1, 12), table_sizes()))
def test_a_certificate_as_made_holds(made: tuple[PairingInput, Lots]) -> None:
    value, _ = made
    assert verdict(certified(value, pair(value, Lots(ROLL, 1, 6))), plain(value)) == "OK"


@pytest.mark.parametrize("entrants", [13, 25])
def test_a_certificate_with_byes_fixed_tables_and_forbidden_pairs_holds(entrants: int) -> None:
    assert verdict(*made(entrants)) == "OK"
    certificate, value = made(entrants)
    file = json.dumps({"certificate": certificate, "input": value}).encode()
    assert check_file(file, list(ROLL)) == "OK"


def changes(value: Any) -> Iterator[Any]:
    """Yield a value of JSON with one change, at each place: another number, text, order, a member more or less."""
    if isinstance(value, dict):
        yield value | {"more": 1}
        for name in value:
            yield {other: value[other] for other in value if other != name}
            yield from (value | {name: changed} for changed in changes(value[name]))
    elif isinstance(value, list):
        yield from ([*value[:at], *value[at + 1 :]] for at in range(len(value)))
        yield from (
            [*value[:at], changed, *value[at + 1 :]] for at in range(len(value)) for changed in changes(value[at])
        )
        yield from ([*value[:at], value[at + 1], value[at], *value[at + 2 :]] for at in range(len(value) - 1))
        yield [*value, 1]
    elif isinstance(value, str):
        yield from (value[:-1], value + "0", value[:-1] + ("1" if value[-1:] != "1" else "2"), None)
    else:
        yield from (value + 1, value - 1, float(value), str(value), bool(value), 10**30)


UNBOUND = ("tournament", "upto", "head", "roll")
"""Members that say where a pairing stands: what they name is held against the record, not against the pairing."""


def test_any_single_change_of_a_certificate_is_refused() -> None:
    certificate, value = made(13)
    for name in certificate:
        for changed in changes(certificate[name]):
            code = verdict(certificate | {name: changed}, value)
            if changed != certificate[name] or type(changed) is not type(certificate[name]):
                assert code in CODES or (code == "OK" and name in UNBOUND), (name, changed, code)


def test_any_single_change_of_an_input_is_refused() -> None:
    certificate, value = made(13)
    found = {verdict(certificate, changed) for changed in changes(value) if json.dumps(changed) != json.dumps(value)}
    assert found == {"C_FORMAT", "C_INPUT"}


def lies() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield lies that hold every check before theirs, by their code."""
    certificate, value = made(13)
    read = input_of(value)
    found = round_of(read, Lots(ROLL, 1, 6))
    fixed = set(value["fixed"][0])
    (first, *_), free = certificate["byes"], [table for table in certificate["tables"] if set(table) != fixed]
    playing = [number for table in free for number in table]

    def with_tables(tables: list[list[int]]) -> dict[str, Any]:
        frees = [table for table in tables if set(table) != fixed]
        told = {"cost": found.cost(frees), "repeats": found.repeats(frees), "seating": list(found.seating(tables))}
        return certificate | told | {"tables": tables}

    def exchanged(i: int, j: int) -> list[list[int]]:
        twin = {i: j, j: i}
        groups = [[twin.get(number, number) for number in table] for table in free]
        return [list(table) for table in found.seated(groups)]

    yield "C_FORMAT", certificate | {"engine": "pods/2"}
    yield "C_DRAW", certificate | {"lot": "00" * 32}
    yield "C_INPUT", certificate | {"input_hash": "00" * 32}
    yield "C_BYE", certificate | {"byes": [playing[0]]}
    yield "C_SIZES", certificate | {"sizes": [5, 3]}
    yield "C_SIZES", certificate | {"tables": certificate["tables"][:-1]}
    yield "C_PLAYERS", certificate | {"tables": [[first, *table[1:]] for table in certificate["tables"]]}
    taken = {playing[0]: value["fixed"][0][0], value["fixed"][0][0]: playing[0]}
    yield (
        "C_PLAYERS",
        certificate | {"tables": [[taken.get(number, number) for number in table] for table in certificate["tables"]]},
    )
    yield "C_COST", certificate | {"cost": certificate["cost"] + 1}
    yield "C_COST", certificate | {"repeats": certificate["repeats"] + 1}
    yield "C_COST", certificate | {"seating": [certificate["seating"][0], certificate["seating"][1] + 1]}
    yield "C_BOUND", certificate | {"bound": certificate["bound"] + 1}
    yield "C_METHOD", certificate | {"method": "search"}
    i, j = next((i, j) for i in free[0] for j in free[1] if not found.forbidden([free[0], [*set(free[1]) - {j}, i]]))
    yield "C_OPTIMUM", with_tables(exchanged(i, j))
    yield "C_SEATING", with_tables(certificate["tables"][::-1])
    yield "C_SEATING", with_tables([table[::-1] for table in certificate["tables"]])


@pytest.mark.parametrize(("code", "lie"), list(lies()))
def test_a_lie_has_its_code(code: str, lie: dict[str, Any]) -> None:
    assert verdict(lie, made(13)[1]) == code


def test_a_pair_that_may_not_meet_is_told() -> None:
    certificate, value = deepcopy(made(13))
    fixed = set(value["fixed"][0])
    i, j = sorted(next(table for table in certificate["tables"] if set(table) != fixed)[:2])
    value["forbidden"] = [[i, j]]
    certificate["input_hash"] = input_hash(input_of(value))
    assert verdict(certificate, value) == "C_FORBIDDEN"


def test_what_the_search_does_not_find_is_told() -> None:
    certificate, value = made(25)
    found = round_of(input_of(value), Lots(ROLL, 1, 6))
    fixed = set(value["fixed"][0])
    one, other, *rest = [list(table) for table in certificate["tables"] if set(table) != fixed]
    one[0], other[0] = other[0], one[0]
    free = [one, other, *rest]
    tables = [list(table) for table in found.seated(free)]
    told = {"cost": found.cost(free), "repeats": found.repeats(free), "seating": list(found.seating(tables))}
    lie = certificate | told | {"tables": tables}
    assert verdict(lie, value) == ("C_FORBIDDEN" if found.forbidden(free) else "C_ENGINE")


@settings(max_examples=cases(30, 600))
@given(JSON, JSON, JSON)
def test_whatever_json_comes_is_answered_with_a_code(certificate: Any, value: Any, opened: Any) -> None:
    good, read = made(13)
    assert check(certificate, value, opened) == "C_FORMAT"
    assert check(good, value, opened) == "C_FORMAT"
    assert check(good, read, opened) == "C_DRAW"


@pytest.mark.parametrize("opened", [None, list(ROLL)[:-1], [*ROLL, 0], [True, *ROLL[1:]], [256, *ROLL[1:]], ROLL.hex()])
def test_values_that_are_no_roll_of_lots_are_told(opened: object) -> None:
    assert check(*made(13), opened) == "C_DRAW"


def test_a_club_that_no_text_can_hold_is_told() -> None:
    certificate, value = deepcopy(made(13))
    value["players"][0]["club"] = "\ud800"
    assert verdict(certificate, value) == "C_FORMAT"


@settings(max_examples=cases(30, 600))
@given(st.integers(0, 10_000))
def test_a_file_that_is_cut_is_no_certificate(length: int) -> None:
    certificate, value = made(13)
    file = json.dumps({"certificate": certificate, "input": value}).encode()
    assert check_file(file[: length % len(file)], list(ROLL)) == "C_FORMAT"


@pytest.mark.parametrize(
    "file",
    [
        b"[" * 200_000,
        b'{"certificate":' * 100_000,
        b'{"certificate":{},"certificate":{},"input":{}}',
        b'{"certificate":{"v":1,"v":1},"input":{}}',
        b'{"certificate":NaN,"input":{}}',
        b'{"certificate":' + b"9" * 5000 + b',"input":{}}',
        b'{"certificate":{},"input":{},"more":1}',
        b"[]",
        b"\xff",
        b" " * (FILE_BYTES_MAX + 1),
    ],
    ids=["deep", "nested", "twice", "inner twice", "no number", "huge number", "more", "array", "no text", "long"],
)
def test_a_file_of_whatever_bytes_is_answered_with_a_code(file: bytes) -> None:
    assert check_file(file, list(ROLL)) == "C_FORMAT"
