"""Keys of entrants held against those of their seats: their own, another one, or none, each told for what it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from domain.fairness.audit import audit_lines
from infra.keys import ed25519_verify
from services.audit.results import HeldMatch, HeldResults, TableKeys, UnsignedSeat, hold
from services.audit.tables import MatchResult, TableRecord, seat_keys
from services.cli.auditing.held import HeldTournament
from services.words.catalogue import LANGUAGES, speaking

PLAYERS = ("a", "b", "c")
MAY = (("k1", "k2"), (), ("m",))
"""Entrant 7 has changed keys at the table, 4 has none, 2 has one."""
RESULT = MatchResult(9, "m", 5, "ab", (7, 4, 2), ((4,), (7,), (2,)), (), (), PLAYERS, "r", MAY)
TABLE = TableRecord(5, PLAYERS, ((2,), (1,), (3,)), (), (), "r", ended=True, keys=(("k1",), (), ("m",)))
Keys = tuple[tuple[str, ...], ...]


def held(keys: Keys, result: MatchResult = RESULT) -> HeldResults:
    return hold((result,), {"m": HeldMatch("ab", replace(TABLE, keys=keys))})


def told(found: HeldResults) -> dict[str, list[str]]:
    event = HeldTournament("e.cup", found, alone=False)
    lines = {}
    for language in LANGUAGES:
        with speaking(language):
            lines[language] = event.words
    return lines


@pytest.mark.parametrize("first", [("k1",), ("k2",), ("k1", "k2")])
def test_an_entrant_plays_with_any_key_that_holds_at_the_time(first: tuple[str, ...]) -> None:
    found = held((first, ("guest",), ("m",)))
    assert (found.checked, found.keys) == (1, TableKeys(2))
    assert all(" 2 " in lines[1] for lines in told(found).values())


@pytest.mark.parametrize("keys", [(("k0",), (), ("m",)), (("k1", "x"), (), ("m",)), (("m",), (), ("k1",))])
def test_another_key_than_the_entrant_s_own_is_a_fault(keys: Keys) -> None:
    found = held(keys)
    assert [(each.line, each.what) for each in found.differences] == [(9, "key")]
    assert HeldTournament("e.cup", found, alone=False).status == "FAULT"
    assert found.keys == TableKeys()
    assert {len(lines) for lines in told(found).values()} == {1}


def test_a_seat_without_a_key_is_told_as_such_and_is_no_fault() -> None:
    found = held(((), (), ("m",)))
    assert (found.differences, found.keys) == ((), TableKeys(1, (UnsignedSeat(9, "m", 7),)))
    assert HeldTournament("e.cup", found, alone=False).status == "OK"
    said = told(found)
    assert "entrant 7" in said["en"][2]
    assert len({lines[2] for lines in said.values()}) == len(LANGUAGES)


def test_whoever_did_not_come_is_not_missed_for_a_key() -> None:
    came = replace(RESULT, ranking=((4,), (7,)), absent=(2,))
    table = replace(TABLE, ranking=((2,), (1,)), absent=(3,), keys=(("k1",), (), ()))
    assert hold((came,), {"m": HeldMatch("ab", table)}).keys == TableKeys(1)


def test_of_many_seats_without_keys_some_are_named_and_all_are_counted() -> None:
    results = [replace(RESULT, match=str(at), line=at) for at in range(2)]
    found = hold(results, {str(at): HeldMatch("ab", replace(TABLE, keys=((), (), ()))) for at in range(2)})
    assert len(found.keys.without) == 4
    said = told(found)
    assert all(" 4 " in lines[-1] and len(lines) == 5 for lines in said.values())


def test_an_event_without_keys_is_told_of_as_before() -> None:
    found = held(((), (), ()), replace(RESULT, keys=((), (), ())))
    assert found == HeldResults(1, (), ())
    assert {len(lines) for lines in told(found).values()} == {1}


# ---- the keys of a seat, by its record -------------------------------------------------------------

VECTORS = Path(__file__).parents[1] / "fairness" / "vectors"


@pytest.mark.parametrize(
    ("name", "more", "changed"),
    [
        ("all-seats", 0, 0),
        ("rekeyed-by-seat", 0, 1),
        ("recovered", 1, 0),
        ("recovery-unused", 0, 0),
        ("recovery-contested", 0, 0),
    ],
)
def test_a_seat_was_given_a_key_as_it_joined_and_by_a_host_and_changed_others_itself(
    name: str, more: int, changed: int
) -> None:
    audited = audit_lines((VECTORS / f"seat_keys/ok-{name}.cup").read_bytes(), None, ed25519_verify)
    proved: dict[str, Any] = to_builtins(audited.report.seats)
    had = {seat: seat_keys(audited.lines, int(seat), one) for seat, one in proved.items()}
    assert sum(map(len, had.values())) == len(proved) + more
    assert sum(keys[-1] != proved[seat]["key"] for seat, keys in had.items()) == changed


def test_a_seat_without_a_key_had_none() -> None:
    audited = audit_lines((VECTORS / "seat_keys/ok-no-keys.cup").read_bytes(), None, ed25519_verify)
    assert seat_keys(audited.lines, 1, {}) == ()
