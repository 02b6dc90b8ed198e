"""Policies as files: what is read, and what is refused before anything is computed."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from domain.games import rules_of
from domain.ids import Seat
from domain.log import canonical
from domain.rules.rules import PIPS, Counting
from domain.strategy import bad_policy
from domain.strategy.bad_policy import BadPolicy
from domain.strategy.duels.best_reply import guarantees_of
from domain.strategy.duels.duel import Duel
from domain.strategy.duels.solved import SolvedTable
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.policies.facts import facts_of, facts_of_duel, facts_of_round
from domain.strategy.policies.files import (
    must_fit,
    named_apart,
    prove,
    read_policy,
    write_policy,
)
from domain.strategy.policies.headers import FILE_BYTES_MAX
from domain.strategy.tables import EVEN, RoundModel
from services.policies.shelf import Shelf
from tests.analysis.positions import opened

SHELF = Shelf()
LEVEL_ONE_ID = "level1@c59c5e77a85350394d59b3e6682de49aaf8368596fda5d802e67e99901f8e51d"
WEIGHTED_ID = "weighted@1c6400058d4209162f1a6b9620a8e6c1dc2f11b1422c6871ff712bb7377c565a"
EVEN_ID = "even@cf087f5816d6685822ae9f2bc8722242f4e95f59533bc62df5693e5f4470f527"
DUEL = Duel((1, 1), PIPS, Counting(wild="always", aces="no"))
LEVEL = SHELF.find("level1").data
WEIGHTED = SHELF.find("weighted").data
SOLVED = SHELF.find(DUEL.name).data
LINE = SOLVED.index(b"\n") + 1
"""The byte at which the table begins."""


def changed(data: bytes, *path: str, to: Any) -> bytes:
    """Return the file with another value at this member of its header."""
    line, _, body = data.partition(b"\n")
    header = json.loads(line)
    within = header
    for member in path[:-1]:
        within = within[member]
    within[path[-1]] = to
    return canonical.encode(header) + b"\n" + body


def without(data: bytes, *path: str) -> bytes:
    header = json.loads(data.partition(b"\n")[0])
    within = header
    for member in path[:-1]:
        within = within[member]
    del within[path[-1]]
    return canonical.encode(header) + b"\n"


def with_table(*records: tuple[int, list[int], list[tuple[int, int]]]) -> bytes:
    """Return the solved file with these records for its table: hand, claims, moves with weights."""
    body = b""
    for hand, made, moves in records:
        body += hand.to_bytes(2, "big") + bytes([len(made), *made, len(moves)])
        body += b"".join(bytes([move]) + weight.to_bytes(2, "big") for move, weight in moves)
    return SOLVED[:LINE] + body


def test_the_first_files_are_known_by_their_hashes() -> None:
    assert [SHELF.find(name).policy.id for name in ("level1", "weighted", "even")] == [
        LEVEL_ONE_ID,
        WEIGHTED_ID,
        EVEN_ID,
    ]
    assert SHELF.find("level1").policy.content == LEVEL_ONE
    assert SHELF.find("even").policy.content == EVEN
    weighted = SHELF.find("weighted").policy.content
    assert isinstance(weighted, RoundModel)
    assert weighted.losing((1, 3)) == (1000, 393)


def test_what_is_written_is_read_again() -> None:
    solved = SHELF.find(DUEL.name).policy
    assert isinstance(solved.content, SolvedTable)
    assert solved.content.duel == DUEL
    again = write_policy(
        "solved",
        DUEL.name,
        {},
        applies=facts_of_duel(DUEL),
        certificate=solved.certificate,
        table=SOLVED[LINE:],
    )
    assert again == SOLVED
    assert write_policy("rounds", "even", {"even": True}) == SHELF.find("even").data


REFUSED: dict[str, tuple[bytes, str, str]] = {
    "empty": (b"", "not_a_policy", "byte 0"),
    "no line": (LEVEL[:-1], "not_a_policy", f"byte {len(LEVEL) - 1}"),
    "no JSON": (b"level1\n", "not_a_policy", "byte 0"),
    "not canonical": (LEVEL.replace(b'{"applies"', b'{ "applies"'), "not_a_policy", "byte 0"),
    "another format": (changed(LEVEL, "format", to="truecup-policy/2"), "not_a_policy", "$.format"),
    "another kind": (changed(LEVEL, "kind", to="oracle"), "bad_header", "$.kind"),
    "a name nobody types": (changed(LEVEL, "name", to="a/b"), "bad_header", "$.name"),
    "a member more": (changed(LEVEL, "author", to="me"), "bad_header", "$.author"),
    "no name": (without(LEVEL, "name"), "bad_header", "$.name"),
    "too long": (bytes(FILE_BYTES_MAX + 1), "too_long", f"byte {FILE_BYTES_MAX}"),
    "a body where none is": (LEVEL + b"x", "too_long", f"byte {len(LEVEL)}"),
    "a constant less": (without(LEVEL, "params", "power"), "bad_header", "$.params"),
    "a constant of another kind": (changed(LEVEL, "params", "power", to="8"), "bad_header", "$.params.power"),
    "a share above 1": (changed(LEVEL, "params", "nerve", to=[3, 2]), "bad_header", "$.params"),
    "a share of nothing": (changed(LEVEL, "params", "odd", to=[0, 0]), "bad_header", "$.params"),
    "no doubts": (changed(LEVEL, "params", "doubts", to=[]), "bad_header", "$.params"),
    "a power of 0": (changed(LEVEL, "params", "power", to=0), "bad_header", "$.params"),
    "no grain": (changed(LEVEL, "params", "grain", to=0), "bad_header", "$.params"),
    "a level that guarantees": (
        changed(LEVEL, "certificate", to={"lower": "0", "upper": "0"}),
        "bad_header",
        "$.certificate",
    ),
    "no round model": (changed(WEIGHTED, "params", to={}), "bad_header", "$.params"),
    "two round models": (changed(WEIGHTED, "params", "even", to=True), "bad_header", "$.params"),
    "weights of nobody": (changed(WEIGHTED, "params", "weights", to={"two": [1]}), "bad_header", "$.params"),
    "weights in no list": (changed(WEIGHTED, "params", "weights", to=[1]), "bad_header", "$.params.weights"),
    "weights of one seat": (changed(WEIGHTED, "params", "weights", to={"1": [1]}), "bad_header", "$.params"),
    "weights without a row": (changed(WEIGHTED, "params", "weights", "2", to=[]), "bad_header", "$.params.weights.2"),
    "a weight below 0": (changed(WEIGHTED, "params", "weights", "2", to=[-1]), "bad_header", "$.params.weights.2"),
    "all weights 0": (changed(WEIGHTED, "params", "weights", "2", to=[0, 0]), "no_weight", "$.params.weights.2"),
    "a weight above 2^32": (
        changed(WEIGHTED, "params", "weights", "2", to=[0, 2**32 + 1]),
        "weight_too_large",
        "$.params.weights.2",
    ),
    "a table with parameters": (changed(SOLVED, "params", to={"power": 8}), "bad_header", "$.params"),
    "a table that guarantees nothing": (changed(SOLVED, "certificate", to=None), "bad_header", "$.certificate"),
    "no fraction": (changed(SOLVED, "certificate", "lower", to="-0.1"), "bad_header", "$.certificate.lower"),
    "not in lowest terms": (changed(SOLVED, "certificate", "lower", to="-2/4"), "bad_header", "$.certificate"),
    "a table for everything": (changed(SOLVED, "applies", to={}), "bad_header", "$.applies"),
    "six dice": (changed(SOLVED, "applies", "dice", to=[6, 1]), "bad_header", "$.applies.dice[0]"),
    "an order nobody knows": (changed(SOLVED, "applies", "order", to="mine"), "bad_header", "$.applies.order"),
    "a rank nobody knows": (changed(SOLVED, "applies", "rank", to="mine"), "bad_header", "$.applies.order"),
    "one face": (changed(SOLVED, "applies", "faces", "count", to=1), "bad_header", "$.applies.faces"),
    "a table cut": (SOLVED[:-1], "cut", ""),
    "a table cut in a hand": (SOLVED + b"\0", "cut", f"byte {len(SOLVED) - LINE}"),
    "a table cut in its claims": (SOLVED + b"\0\0\5\0", "cut", f"byte {len(SOLVED) - LINE}"),
    "a table too long": (SOLVED + b"\0\0\0\1\0\0\1", "out_of_order", ""),
    "a seventh hand": (with_table((6, [], [(1, 1)])), "no_such_hand", "record 1"),
    "claims that fall": (with_table((0, [2, 1], [(255, 1)])), "no_such_claims", "record 1"),
    "ones, which nobody names": (with_table((0, [0], [(255, 1)])), "no_such_claims", "record 1"),
    "claims after a challenge": (with_table((0, [1, 255], [(255, 1)])), "no_such_claims", "record 1"),
    "a record twice": (with_table((0, [], [(1, 1)]), (0, [], [(1, 1)])), "out_of_order", "record 2"),
    "the second before the opener": (
        with_table((0, [1], [(255, 1)]), (0, [], [(1, 1)])),
        "out_of_order",
        "record 2",
    ),
    "where it never comes": (with_table((0, [], [(1, 1)]), (0, [2, 3], [(255, 1)])), "unreachable", "record 2"),
    "where it comes with weight 0": (
        with_table((0, [], [(1, 1), (2, 0)]), (0, [2, 3], [(255, 1)])),
        "unreachable",
        "record 2",
    ),
    "a challenge of nothing": (with_table((0, [], [(255, 1)])), "illegal_move", "record 1"),
    "a move twice": (with_table((0, [], [(1, 1), (1, 1)])), "move_twice", "record 1"),
    "a record without weight": (with_table((0, [], [(1, 0)])), "no_weight", "record 1"),
    "a record without moves": (with_table((0, [], [])), "no_weight", "record 1"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_policy_is_refused_where_it_shows(name: str) -> None:
    data, code, where = REFUSED[name]
    with pytest.raises(BadPolicy) as refused:
        read_policy(data)
    assert refused.value.code == code
    assert where in refused.value.where
    assert refused.value.where in str(refused.value)


def test_a_file_that_is_not_the_one_named_is_refused() -> None:
    assert read_policy(LEVEL, hashlib.sha256(LEVEL).hexdigest()).name == "level1"
    with pytest.raises(BadPolicy) as refused:
        read_policy(LEVEL, "0" * 64)
    assert refused.value.code == "wrong_hash"


def test_two_files_of_one_name_are_refused() -> None:
    level, weighted = read_policy(LEVEL), read_policy(WEIGHTED)
    assert named_apart([level, weighted, level]) == (level, weighted)
    with pytest.raises(BadPolicy) as refused:
        named_apart([level, read_policy(changed(LEVEL, "params", "power", to=9))])
    assert refused.value.code == "same_name"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (changed(SOLVED, "certificate", "lower", to="0"), "certificate_not_met"),
        (changed(SOLVED, "certificate", "upper", to="-1/2"), "certificate_not_met"),
        (SOLVED[:LINE], "silent"),
        (with_table((0, [], [(1, 1)])), "silent"),
    ],
)
def test_a_certificate_that_is_not_met_is_refused(data: bytes, code: str) -> None:
    with pytest.raises(BadPolicy) as refused:
        prove(read_policy(data))
    assert refused.value.code == code


def test_a_certificate_may_say_less_than_is_true() -> None:
    modest = read_policy(changed(SOLVED, "certificate", to={"lower": "-1", "upper": "1"}))
    assert prove(modest) == read_policy(SOLVED).certificate


def test_a_round_that_is_too_large_is_not_gone_through() -> None:
    table = read_policy(SOLVED).content
    assert isinstance(table, SolvedTable)
    with pytest.raises(BadPolicy) as refused:
        guarantees_of(table, work_max=3600)
    assert refused.value.code == "too_large"


# ---- what a policy is for -----------------------------------------------------------------------


def common_hand(**options: Any) -> Any:
    return rules_of("common_hand", {"dice_per_player": 1, **options})


def test_a_policy_is_for_rounds_that_it_agrees_with_in_every_member() -> None:
    solved = read_policy(SOLVED)
    assert facts_of_round(common_hand(), (1, 1)) == solved.applies == facts_of_duel(DUEL)
    assert solved.fits(facts_of_round(common_hand(), (1, 1)))
    # Of two seats only one may doubt.
    assert solved.fits(facts_of_round(common_hand(challenge_by="anyone"), (1, 1)))
    others = {
        "more dice": facts_of_round(common_hand(), (1, 2)),
        "more seats": facts_of_round(common_hand(challenge_by="anyone"), (1, 1, 1)),
        "another order": facts_of_round(common_hand(system="face_first"), (1, 1)),
        "other wilds": facts_of_round(common_hand(wild="never"), (1, 1)),
        "ones named": facts_of_round(common_hand(bid_aces="as_ones"), (1, 1)),
        "spot on": facts_of_round(common_hand(spot_on=True), (1, 1)),
        "a pass": facts_of_round(common_hand(pass_once=True), (1, 1)),
        "a push": facts_of_round(common_hand(push=True), (1, 1)),
        "palifico": facts_of_round(common_hand(palifico=True), (1, 1), palifico=True),
        "hands": facts_of_round(rules_of("finska", {}), (5, 5)),
    }
    assert {why: solved.fits(facts) for why, facts in others.items()} == dict.fromkeys(others, False)
    level = read_policy(LEVEL)
    assert all(level.fits(facts) for facts in others.values())


def test_a_member_nobody_knows_fits_nothing() -> None:
    odd = read_policy(changed(LEVEL, "applies", to={"weather": None}))
    assert not odd.fits(facts_of_round(common_hand(), (1, 1)))


def test_a_natural_die_is_not_asked_for_where_ones_never_help() -> None:
    rules = rules_of("boss_liars", {"wild": "never", "natural_required": True})
    assert facts_of_round(rules, (1, 1))["natural"] is False


def test_facts_of_a_state_go_by_the_order_of_play() -> None:
    dice: dict[Seat, int] = {1: 2, 2: 1}
    state = opened(common_hand(dice_per_player=2), dice, (1, 2))
    assert facts_of(state)["dice"] == [2, 1]


def test_the_default_is_solved_where_it_applies() -> None:
    plain = facts_of_round(common_hand(), (1, 1))
    assert SHELF.default("play", plain).name == DUEL.name
    assert SHELF.default("play", facts_of_round(common_hand(spot_on=True), (1, 1))).id == LEVEL_ONE_ID
    assert SHELF.default("play", facts_of_round(common_hand(), (1, 2))).id == LEVEL_ONE_ID
    assert SHELF.default("play", facts_of_round(rules_of("finska", {}), (5, 5))).id == LEVEL_ONE_ID
    assert SHELF.default("rounds", plain).id == WEIGHTED_ID


def test_a_policy_that_was_named_for_other_rounds_is_refused() -> None:
    solved, plain = read_policy(SOLVED), facts_of_round(common_hand(), (1, 1))
    other = facts_of_round(common_hand(), (1, 2))
    must_fit(solved, [other, plain])
    with pytest.raises(BadPolicy) as refused:
        must_fit(solved, [other])
    assert refused.value.code == "does_not_apply"


def test_every_fault_of_a_policy_is_provoked_here() -> None:
    elsewhere = {"wrong_hash", "same_name", "silent", "certificate_not_met", "too_large", "does_not_apply"}
    assert {code for _, code, _ in REFUSED.values()} | elsewhere == set(bad_policy.CODES)


def test_the_page_about_policies_shows_a_header_and_a_record_as_they_are() -> None:
    page = (Path(__file__).parents[2] / ".docs" / "policies.md").read_text(encoding="utf-8")
    header, record, *_ = re.findall(r"^```\n(.*?)\n```$", page, re.MULTILINE | re.DOTALL)
    assert canonical.encode(json.loads(header)) + b"\n" == SOLVED[:LINE]
    shown = bytes.fromhex(record)
    assert shown == SOLVED[LINE : LINE + len(shown)]
    table = read_policy(SOLVED).content
    assert isinstance(table, SolvedTable)
    assert table.records[0, b""] == ((2, 6), (3, 26), (4, 77))
