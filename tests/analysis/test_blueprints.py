"""Blueprints: a table by the last three claims, what of it is refused, and what is played by it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import commands
from domain.rules.rules import PIPS, Counting
from domain.strategy.bad_policy import BadPolicy
from domain.strategy.duels.blueprint import (
    BlueprintTable,
    Context,
    blueprint_name,
    claims_of,
    read_blueprint,
    weigh_blueprint,
    write_blueprint,
)
from domain.strategy.duels.duel import CHALLENGE, Duel
from domain.strategy.duels.solved import Moves
from domain.strategy.policies.facts import facts_of_duel, facts_of_round
from domain.strategy.policies.files import read_policy, write_policy
from domain.strategy.sight import Sight
from tests.analysis.positions import opened, standing_on
from tests.analysis.test_policies import changed, common_hand, without
from tests.sizes import cases

DUEL = Duel((2, 2), PIPS, Counting(wild="always", aces="no"))
RECORDS: dict[Context, Moves] = {
    (0, 0, b""): ((1, 255), (7, 3)),
    (0, 20, bytes([1, 2])): ((8, 9), (CHALLENGE, 1)),
    (0, 20, bytes([2, 3, 4])): ((CHALLENGE, 1),),
    (1, 3, bytes([1])): ((2, 0), (3, 1)),
    (1, 3, bytes([1, 2, 3])): ((CHALLENGE, 255),),
}
FOUND = {"passes": 400, "seed": "00ff"}


def file_of(table: bytes, params: dict[str, Any] | None = None) -> bytes:
    name, applies = blueprint_name(DUEL.name), facts_of_duel(DUEL)
    return write_policy("blueprint", name, FOUND if params is None else params, applies=applies, table=table)


def with_record(place: int, hand: int, claims: list[int], moves: list[tuple[int, int]]) -> bytes:
    """Return the file with this record alone."""
    return file_of(write_blueprint({(place, hand, bytes(claims)): tuple(moves)}))


WHOLE = file_of(write_blueprint(RECORDS))
BODY = len(WHOLE) - WHOLE.index(b"\n") - 1
RECORD = write_blueprint({(0, 0, b""): ((1, 1),)})


def test_a_blueprint_is_read_as_it_was_written() -> None:
    policy = read_policy(WHOLE)
    assert (policy.kind, policy.certificate) == ("blueprint", None)
    assert isinstance(policy.content, BlueprintTable)
    assert policy.content.records == RECORDS
    assert list(policy.content.records) == sorted(RECORDS, key=lambda one: (*one[:2], len(one[2]), one[2]))
    assert all(context not in policy.content.records for context in ((0, 0, bytes([1, 2])), (1, 20, bytes([1]))))
    assert policy.fits(facts_of_round(common_hand(), (2, 2)))
    assert not policy.fits(facts_of_round(common_hand(), (2, 1)))


REFUSED: dict[str, tuple[bytes, str, str]] = {
    "a certificate": (
        changed(WHOLE, "certificate", to={"lower": "0", "upper": "0"}),
        "bad_header",
        "$.certificate",
    ),
    "no passes": (without(WHOLE, "params", "passes"), "bad_header", "$.params"),
    "passes that are none": (file_of(b"", {**FOUND, "passes": 0}), "bad_header", "$.params.passes"),
    "a seed that is none": (file_of(b"", {**FOUND, "seed": "0"}), "bad_header", "$.params.seed"),
    "once in no rounds": (file_of(b"", {**FOUND, "once_in": 0}), "bad_header", "$.params.once_in"),
    "a parameter nobody knows": (file_of(b"", {**FOUND, "mood": 1}), "bad_header", "$.params"),
    "six dice": (changed(WHOLE, "applies", "dice", to=[6, 2]), "bad_header", "$.applies.dice"),
    "three seats": (changed(WHOLE, "applies", "dice", to=[2, 2, 2]), "bad_header", "$.applies.dice"),
    "an opening that matters": (
        changed(WHOLE, "applies", "wild", to="unless_opened"),
        "bad_header",
        "$.applies.wild",
    ),
    "cut in a hand": (file_of(b"\0\0"), "cut", "byte 0"),
    "cut in its claims": (file_of(RECORD + b"\0\0\1\3\1"), "cut", f"byte {len(RECORD)}"),
    "cut in its moves": (WHOLE[:-1], "cut", f"byte {BODY - 10}"),
    "a third seat": (with_record(2, 0, [], [(1, 1)]), "no_such_hand", "record 1"),
    "a hand too many": (with_record(0, 21, [], [(1, 1)]), "no_such_hand", "record 1"),
    "the other one opens": (with_record(1, 0, [], [(1, 1)]), "no_such_claims", "record 1"),
    "the opener answers itself": (with_record(0, 0, [1], [(CHALLENGE, 1)]), "no_such_claims", "record 1"),
    "claims that fall": (with_record(0, 0, [2, 1], [(CHALLENGE, 1)]), "no_such_claims", "record 1"),
    "ones, which nobody names": (with_record(1, 0, [0], [(CHALLENGE, 1)]), "no_such_claims", "record 1"),
    "a claim after a challenge": (with_record(0, 0, [CHALLENGE, 1], [(CHALLENGE, 1)]), "no_such_claims", "record 1"),
    "a challenge after a claim": (with_record(0, 0, [1, CHALLENGE], [(CHALLENGE, 1)]), "no_such_claims", "record 1"),
    "four claims": (with_record(0, 0, [1, 2, 3, 4], [(CHALLENGE, 1)]), "no_such_claims", "record 1"),
    # Before the first of these three there is nothing that the opener could have claimed.
    "the lowest claim as an answer": (
        with_record(0, 0, [1, 2, 3], [(CHALLENGE, 1)]),
        "no_such_claims",
        "record 1",
    ),
    "a record twice": (file_of(RECORD + RECORD), "out_of_order", "record 2"),
    "the other one first": (
        file_of(write_blueprint({(1, 0, b"\1"): ((CHALLENGE, 1),)}) + RECORD),
        "out_of_order",
        "record 2",
    ),
    "a challenge of nothing": (with_record(0, 0, [], [(CHALLENGE, 1)]), "illegal_move", "record 1"),
    "a bid that is too low": (with_record(1, 0, [7], [(7, 1)]), "illegal_move", "record 1"),
    "a move twice": (with_record(0, 0, [], [(1, 1), (1, 1)]), "move_twice", "record 1"),
    "no weight": (with_record(0, 0, [], [(1, 0)]), "no_weight", "record 1"),
    "no moves": (with_record(0, 0, [], []), "no_weight", "record 1"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_blueprint_is_refused_where_it_shows(name: str) -> None:
    data, code, where = REFUSED[name]
    with pytest.raises(BadPolicy) as refused:
        read_policy(data)
    assert refused.value.code == code
    assert where in refused.value.where


@given(st.binary(max_size=64))
def test_whatever_stands_in_a_table_is_read_whole_or_refused(body: bytes) -> None:
    try:
        table = read_blueprint(DUEL, body)
    except BadPolicy:
        return
    assert write_blueprint(table.records) == body


@pytest.mark.parametrize("order", ["quantity_first", "no_decrease"])
@pytest.mark.parametrize("aces", ["no", "half_double"])
def test_claims_come_about_that_somebody_can_lead_to(order: str, aces: Any) -> None:
    duel = Duel((1, 2), PIPS, Counting(order, wild="always", aces=aces))
    made: tuple[set[int], set[int]] = (set(), set())
    ahead = [bytes([claim]) for claim in duel.replies(b"")]
    for claims in ahead:
        made[(len(claims) - 1) % 2].add(claims[-1])
        if len(claims) < cases(4, 5):
            ahead += [claims + bytes([move]) for move in duel.replies(claims) if move != CHALLENGE]
    assert claims_of(duel) == (frozenset(made[0]), frozenset(made[1]))


# ---- what is played -------------------------------------------------------------------------------


def seen(hand: tuple[int, ...], *claims: tuple[int, int]) -> Sight:
    state = opened(common_hand(dice_per_player=2), {1: 2, 2: 2}, (1, 2))
    for claim in claims:
        state = standing_on(state, claim, claims[0])
    return Sight(state, 1, {1: hand})


def test_moves_are_looked_up_by_the_hand_and_the_last_three_claims() -> None:
    table = BlueprintTable(DUEL, RECORDS)
    found = weigh_blueprint(table, seen((1, 1)), b"")
    assert found is not None
    assert [(option.command, option.weight) for option in found.options] == [
        (commands.Bid(1, 1, 2), 255),
        (commands.Bid(1, 2, 2), 3),
    ]
    assert found.options[1].worth == Fraction(3, 258)
    assert found.legal == len(DUEL.replies(b""))
    doubted = weigh_blueprint(table, seen((6, 6), (1, 5)), bytes([1, 2, 3, 4]))
    assert doubted is not None
    assert [option.command for option in doubted.options] == [commands.Challenge(1)]
    assert doubted.options[0].worth == 1


def test_of_what_is_not_there_nothing_is_said() -> None:
    table = BlueprintTable(DUEL, RECORDS)
    assert weigh_blueprint(table, seen((1, 2)), b"") is None
    assert weigh_blueprint(table, seen((6, 6), (1, 5)), bytes([1, 4])) is None
    assert table.moves((1, 2, 3), b"") is None
