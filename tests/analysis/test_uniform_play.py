"""Values beside the cases of `values.json`: uniform play of a die each, and which cases are solved by nobody here."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from typing import Any, Final

import pytest

from domain.rules.orders import Count
from domain.rules.rules import Counting, Faces
from domain.strategy.duels.best_reply import guarantees_of
from domain.strategy.duels.duel import CHALLENGE, Duel
from domain.strategy.duels.solved import Key, Moves, SolvedTable
from services.solver.effort import PAIRS_MAX, pairs_of
from tests.analysis.conftest import HERE
from tests.analysis.kinds import values

PUBLISHED: Final[dict[str, Any]] = json.loads((HERE / "values.json").read_text(encoding="utf-8"))["uniform"]
NEAR: Final = Fraction(1, 10**12)


@cache
def uniform(order: str) -> SolvedTable:
    """Return the table of a seat that makes every legal move alike."""
    duel = Duel((1, 1), Faces(1, 6), Counting(order, wild="always", rank="ace_high"))
    records: dict[Key, Moves] = {}

    def go_on(made: bytes) -> None:
        moves = tuple([(move, 1) for move in sorted(duel.replies(made))])
        for hand in range(6):
            records[hand, made] = moves
        for move, _ in moves:
            if move != CHALLENGE:
                go_on(made + bytes([move]))

    go_on(b"")
    return SolvedTable(duel, records)


def published(name: str) -> Fraction:
    return Fraction(PUBLISHED[name])


def test_it_has_as_many_information_sets() -> None:
    assert len(uniform("quantity_first").records) == PUBLISHED["information_sets"]


@pytest.mark.parametrize("order", ["quantity_first", "face_first"])
def test_best_replies_to_it_gain_together_what_was_published(order: str) -> None:
    found = guarantees_of(uniform(order))
    assert abs(found.upper - found.lower - published(order)) < NEAR
    if order == "quantity_first":
        opener, other = map(Fraction, PUBLISHED["best_replies_quantity_first"])
        assert abs(found.upper - opener) < NEAR
        assert abs(-found.lower - other) < NEAR


def test_it_is_worth_to_its_opener_what_was_published() -> None:
    duel = uniform("quantity_first").duel

    def worth(made: bytes) -> Fraction:
        """Return what it is worth to whoever moves: what is claimed says nothing of a die."""
        replies = duel.replies(made)
        raised = [-worth(made + bytes([move])) for move in replies if move != CHALLENGE]
        doubted = [1 - 2 * truth(duel.claim(made[-1])) for move in replies if move == CHALLENGE]
        return sum(raised + doubted, Fraction(0)) / len(replies)

    assert abs(worth(b"") - published("value_of_uniform_play")) < NEAR


def truth(claim: Count) -> Fraction:
    """Return how likely two dice hold a claim, the face that is wild being a six under another name."""
    throws = [(one, two) for one in range(1, 7) for two in range(1, 7)]
    held = [sum(die in {claim.face, 1} for die in throw) >= claim.quantity for throw in throws]
    return Fraction(sum(held), len(held))


def test_values_that_no_run_meets_are_named() -> None:
    every = json.loads((HERE / "values.json").read_text(encoding="utf-8"))["cases"]
    beyond = {case["id"] for case in every if pairs_of(values.duel_of_case(case)) > PAIRS_MAX}
    assert beyond == values.BEYOND
