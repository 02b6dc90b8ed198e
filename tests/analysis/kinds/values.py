"""Values of rounds of two seats: met by shipped files, which are proved when they are read, or by solving them here.

What each seat could gain against uniform play, beside the cases, is met by `tests.analysis.test_uniform_play`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import pytest

from domain.rules.rules import Counting, Faces
from domain.strategy.duels.duel import Duel
from domain.strategy.policies.files import prove, read_policy
from services.policies.shelf import SHIPPED, Shelf
from services.solver.effort import PAIRS_MAX, pairs_of
from services.solver.solving import policy_of
from tests.sizes import cases

SHELF = Shelf()
WILD: dict[str, dict[str, Any]] = {
    "none": {"wild": "never"},
    "one": {"wild": "always"},
    "one_nb": {"wild": "always", "aces": "no"},
    "half_double": {"wild": "always", "aces": "half_double"},
    "unless_opened": {"wild": "unless_opened"},
    "natural": {"wild": "unless_opened", "natural": True},
    # The face that is wild is called one here, and ranks highest.
    "high": {"wild": "always", "rank": "ace_high"},
}

BEYOND: Final = frozenset({"1v2-F6-none-QF", "bound 1v2-F6-none-FQ", "bound 2v1-F6-none-FQ"})
"""Rounds of 33 million pairs of hands and claims, where the house solves up to 5: their values are met by no test."""


def duel_of_case(case: dict[str, Any]) -> Duel:
    first, other = case["dice"]
    return Duel((first, other), Faces(1, case["faces"]), Counting(case["order"], **WILD[case["wild"]]))


def check(_table: dict[str, Any], case: dict[str, Any]) -> None:
    duel = duel_of_case(case)
    if duel.name in SHIPPED:
        proved = prove(SHELF.find(duel.name).policy)
    else:
        # So large a round is solved in a tenth of a second; the largest with `--long` take half an hour.
        if pairs_of(duel) > cases(40_000, PAIRS_MAX):
            pytest.skip("beyond what the house solves" if case["id"] in BEYOND else "it takes too long to solve")
        proved = prove(read_policy(policy_of(duel)))
    assert proved.lower == proved.upper == Fraction(case["value"])
