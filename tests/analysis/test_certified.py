"""Certified worths: what is proved of rounds of two is told of the match, with how far it may be off."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from msgspec.structs import replace

from domain.analysis.joining import analysis_of
from domain.analysis.record.following import follow
from domain.analysis.report import document_of
from domain.analysis.worths.estimates import Estimate, sum_of
from domain.strategy.policies.ahead import rounds_ahead, solved_ahead, with_values
from domain.strategy.tables import EVEN, MatchTable, RoundModel
from domain.table.state import Pairing
from services.analysis.making import WantedAnalysis, means_for
from services.evaluators.batch_evaluator import evaluate
from services.policies.shelf import Shelf
from tests.analysis.kinds.records import followed_of
from tests.analysis.played import LINES
from tests.analysis.test_solved_records import RECORD, analysed
from tests.analysis.test_tables import after, game
from tests.domain.truth_oracle import Course, played_out

SHELF = Shelf()
SIZES = ((1, 1), (1, 2), (2, 1), (2, 2))
VALUES = {(1, 1): Fraction(-1, 9), (1, 2): Fraction(-1, 2), (2, 1): Fraction(1, 3), (2, 2): Fraction(1, 20)}
HALF = Fraction(1, 100)


def model(values: dict[tuple[int, int], Fraction], half: Fraction = Fraction(0)) -> RoundModel:
    return RoundModel(values=tuple(values.items()), halves=tuple([(sizes, half) for sizes in values]))


@pytest.mark.parametrize("start", ["loser", "winner"])
@pytest.mark.parametrize("opens", [1, 2])
def test_worths_lie_within_what_is_told_wherever_the_values_do(start: str, opens: int) -> None:
    state = replace(game("common_hand", dice_per_player=2, next_starter=start), next_starter=opens)
    table = MatchTable(state, model(VALUES, HALF))
    half, told = table.half(state), table.worths(state)
    assert half is not None
    assert 0 < half < HALF * 2
    ends = [
        MatchTable(state, model({size: VALUES[size] + end for size, end in zip(SIZES, some, strict=True)}))
        for some in product((-HALF, HALF), repeat=4)
    ]
    reached = [abs(each.worths(state)[0] - told[0]) for each in ends]
    # A round may be come to in two ways: each is reckoned as if its value was another.
    assert half / 2 < max(reached) <= half
    assert all(each.half(state) == 0 for each in ends)


def test_a_match_of_which_some_round_is_not_solved_is_no_more_than_a_model() -> None:
    state = game("common_hand", dice_per_player=2)
    less = {size: value for size, value in VALUES.items() if size != (1, 2)}
    assert MatchTable(state, model(less)).half(state) is None
    last = game("common_hand", dice_per_player=1)
    assert MatchTable(last, model(less)).half(last) == 0
    assert MatchTable(last).half(last) is None
    # A match that is decided, and a session, hang on no round to come.
    assert MatchTable(last).half(after(last, holds=True)) == 0
    lost = after(game("boss_liars", stakes="drinks", hands_to_lose=1), holds=True)
    assert MatchTable(lost).half(lost) == 0
    session = game("common_hand", elimination="none", stakes="per_round")
    assert MatchTable(session).half(session) == 0


def test_nothing_is_proved_where_it_is_not_known_who_opens_or_others_play() -> None:
    state = game("common_hand", dice_per_player=2)
    table = MatchTable(state, model(VALUES))
    assert table.half(replace(state, next_starter=None)) is None
    three = game("common_hand", (1, 2, 3), dice_per_player=1)
    assert MatchTable(three, model(VALUES)).half(three) is None
    assert MatchTable(three, model(VALUES)).half(replace(three, pairing=Pairing((1, 2), (3,), ()))) is None
    called = replace(state, rules=replace(state.rules, match=replace(state.rules.match, next_start="claimant")))
    assert table.half(called) is None
    assert table.half(replace(called, balances={"die": {1: 1, 2: 1}})) == 0


def test_who_would_rather_lose_plays_another_round_than_the_one_that_was_solved() -> None:
    state = game("common_hand", dice_per_player=2)
    # Who has lost opens with one die less, and wins for certain as long as the other opens the last round.
    perverse = {**VALUES, (1, 2): Fraction(1), (1, 1): Fraction(-1)}
    assert MatchTable(state, model(perverse)).half(state) is None


def test_a_race_is_proved_by_the_value_of_its_one_round() -> None:
    race = game("individual_hand", wins_needed=2)
    known = RoundModel(values=(((5, 5), Fraction(-1, 3)),), halves=(((5, 5), HALF),))
    ahead = replace(race, balances={"win": {1: 1, "box": -1}})
    half, told = MatchTable(race, known).half(ahead), MatchTable(race, known).worths(ahead)[0]
    ends = [RoundModel(values=(((5, 5), Fraction(-1, 3) + end),)) for end in (-HALF, HALF)]
    assert half == max(abs(MatchTable(race, end).worths(ahead)[0] - told) for end in ends)
    assert MatchTable(race).half(race) is None
    won = replace(race, balances={"win": {2: 2, "box": -2}}, next_starter=2)
    assert MatchTable(race, known).half(won) == 0


def test_of_two_seats_the_first_out_loses_by_the_values_of_rounds_as_well() -> None:
    state = game("boss_liars", stakes="drinks", hands_to_lose=1)
    known = model({(1, 1): Fraction(1, 3)})
    assert MatchTable(state, known).worths(state) == (Fraction(2, 3), Fraction(1, 3))
    assert MatchTable(state, known).half(state) == 0


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("common_hand", {"dice_per_player": 2}, {(a, b): [a, b] for a, b in SIZES}),
        ("boss_liars", {"hands_to_lose": 2, "stakes": "drinks"}, {each: [5, 5] for each in SIZES}),
        ("individual_hand", {}, {(5, 5): [5, 5]}),
        ("common_hand", {"elimination": "none"}, {}),
        ("common_hand", {"palifico": True}, {}),
        ("mexican", {}, {}),
        ("finska", {}, {each: [5, 5] for each in product(range(1, 6), repeat=2)}),
    ],
)
def test_rounds_ahead_are_those_of_two_that_a_match_may_come_to(
    name: str, options: dict[str, Any], expected: dict[tuple[int, int], list[int]]
) -> None:
    assert {stacks: facts["dice"] for stacks, facts in rounds_ahead(game(name, **options))} == expected


def test_of_rounds_ahead_those_are_told_that_somebody_has_solved() -> None:
    state = replace(game("common_hand", (1, 2, 3)), balances={"die": {1: 3, 2: 1, 3: 1}})
    assert {stacks for stacks, _ in rounds_ahead(state)} == {(1, 1), (1, 2), (1, 3), (2, 1), (3, 1)}
    found = solved_ahead(state, SHELF.solved)
    assert [(stacks, policy.name) for stacks, policy in found] == [((1, 1), "1v1-d6-quantity_first-always-no")]
    assert with_values(EVEN, found).values == (((1, 1), Fraction(-7, 327)),)
    assert with_values(EVEN, found).halves == (((1, 1), Fraction(0)),)


def test_a_round_that_is_certified_is_told_so_from_its_deal_to_its_verdict() -> None:
    found, policy = analysed()
    round_, dealt, seat = found["rounds"][0], found["events"][0]["equity"], found["seats"][0]["luck"]
    assert policy.certificate is not None
    assert {figure[1:] == ["certified", 0] for figure in (*round_["before"].values(), *dealt["public"].values())} == {
        True
    }
    assert round_["before"] == dealt["public"]
    assert seat["table"] == [0, "certified", 0]
    assert seat["start"] == round_["before"]["1"]
    decided = found["events"][1]["decision"]
    assert {option["q"][1] for option in decided["options"]} == {"model"}


@pytest.mark.parametrize(
    ("paid", "by"),
    [({"stakes": "per_round", "wager": 5}, "certified"), ({"drinks": {"basis": "difference"}}, "model")],
)
def test_a_session_is_certified_if_it_pays_for_who_has_won_and_for_nothing_else(paid: dict[str, Any], by: str) -> None:
    course = Course({"dice_per_player": 1, "elimination": "none", **paid}, 2, f"paid {by}", pause_ms=0)
    course.start()
    followed = follow(played_out(course, 1, LINES).lines)
    told = document_of(analysis_of(followed, means_for(followed, WantedAnalysis(), SHELF), evaluate))
    first = told["rounds"][0]
    assert first["policy"].startswith("1v1-")
    assert first["table"] is None
    dealt = next(event for event in told["events"] if event["type"] == "cup.rolled")
    assert {figure[1] for figure in dealt["equity"]["public"].values()} == {by}


def test_who_names_the_round_model_is_told_no_more_than_that_says() -> None:
    found, _ = analysed("level1", "weighted")
    assert {figure[1] for figure in found["rounds"][0]["before"].values()} <= {"exact", "model"}


def test_the_solved_rounds_of_a_table_are_named() -> None:
    followed = followed_of(RECORD.with_name("two-dice-face-first.cup"))
    used = means_for(followed, WantedAnalysis(), SHELF).used
    assert any(policy.kind == "solved" for policy in used)


def test_only_sums_of_what_is_proved_are_proved() -> None:
    one, other = Estimate(Fraction(1, 3), None, HALF), Estimate(Fraction(1, 4))
    assert one.less(one) == Estimate(Fraction(0), None, 2 * HALF)
    assert sum_of([one, other]).figure.by == "model"
    assert sum_of([]).figure.by == "model"
    assert tuple(one.figure.__class__.__struct_fields__) == ("ppm", "by", "more")
