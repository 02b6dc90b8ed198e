"""Kinds of cases about pairing: what each says of a law, by the vector file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from domain.tournaments.certificates import check
from domain.tournaments.pairing.lots import Lots, board_id, match_id
from domain.tournaments.pairing.pods.inputs import input_hash, input_of
from domain.tournaments.pairing.pods.law import pair
from domain.tournaments.pairing.sizes import TableSizes, split
from tests.tournaments.fields import plain
from tests.tournaments.ranking_kinds import rows_of
from tests.tournaments.swiss import Swiss


def lots_of(case: dict[str, Any]) -> Lots:
    return Lots(bytes.fromhex(case["roll"]), case["stage"], case["round"])


def order(case: dict[str, Any]) -> None:
    lots = lots_of(case)
    assert case["order"] == lots.order(case["numbers"])
    assert case["lot_of_first"] == lots.lot(case["numbers"][0]).hex()
    assert case["kick_0"] == lots.kick(0).hex()


def ids(case: dict[str, Any]) -> None:
    place = (case["tournament"], case["stage"], case["round"], case["table"])
    assert case["match"] == match_id(*place, case["attempt"])
    assert case["board"] == board_id(*place)


def sizes(case: dict[str, Any]) -> None:
    found = split(case["players"], TableSizes(case["preferred"], case["min"], case["max"]))
    assert (case["byes"], case["sizes"]) == (found.byes, list(found.sizes))


def pods(case: dict[str, Any]) -> None:
    assert case["expect"] == plain(pair(input_of(case["input"]), lots_of(case)))


def certificate(case: dict[str, Any]) -> None:
    assert case["expect"] == check(case["certificate"], case["input"], case["opened"])


def event(case: dict[str, Any]) -> None:
    swiss = Swiss(case)
    for each in case["rounds"]:
        swiss.begin(each)
        made = swiss.input()
        found = pair(made, Lots(bytes.fromhex(each["roll"]), 1, each["round"]))
        assert each["expect"] == plain(found) | {"input_hash": input_hash(made)}
        swiss.end(found, each["results"])
        assert each["standings"] == rows_of(swiss.event())


CHECKS: dict[str, dict[str | None, Callable[[dict[str, Any]], None]]] = {
    "lots": {"order": order, "ids": ids},
    "sizes": {None: sizes},
    "pods": {None: pods},
    "duels": {None: pods},
    "search": {None: pods},
    "certificates": {None: certificate},
    "event": {None: event},
}
