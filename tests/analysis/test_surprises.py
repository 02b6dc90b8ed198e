"""Surprises of rounds that are played on: those of rounds that fold, where both can be told, and of every game."""

from __future__ import annotations

from fractions import Fraction

import pytest

from domain.analysis.figures import MILLION
from domain.analysis.judges.surprises import surprise_of
from domain.analysis.worths.equity import decide
from domain.analysis.worths.equity import surprise_of as folded_surprise
from domain.strategy.chance import Words
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.reading.thoughts import Thoughts
from tests.analysis.test_documents import whole
from tests.analysis.test_equity import scene_of
from tests.analysis.test_fold_back import THREE, small
from tests.analysis.test_rolled_intervals import command_of

ROLLED = ("stud_liars", "individual_hand", "two_dice_pass", "liars_poker", "push_and_pass")
"""Games that are played on: dice that are shown, handled or passed on, numbers, and passes."""


def test_a_move_is_as_surprising_as_where_it_is_folded_back() -> None:
    scene, seat = scene_of(small("common_hand", {"wild": "never"}, 3), THREE, (1, 2)), 2
    belief = scene.beliefs[seat]
    hands = dict(zip(belief.hands.hands, belief.chances, strict=True))
    thoughts = Thoughts(scene.state, seat, seat, LEVEL_ONE)
    for way in decide(scene, seat, THREE[seat], "challenge").ways:
        assert way.answer is not None
        found = surprise_of(thoughts, command_of(seat, way.answer), hands, Words(b"none"))
        assert found.half is None
        assert abs(found.value - folded_surprise(scene, seat, way.answer)) < Fraction(1, MILLION)


def test_hands_of_which_there_are_too_many_are_drawn() -> None:
    scene, seat = scene_of(small("common_hand", {"wild": "never"}, 3), THREE, (1, 2)), 2
    thoughts = Thoughts(scene.state, seat, seat, LEVEL_ONE)
    deed = command_of(seat, "challenge")
    # One die in a thousand hands, told apart by dice that count for nothing.
    hands = {(face, *[0] * more): 1 for face in (1, 2, 3) for more in range(200)}
    found = surprise_of(thoughts, deed, hands, Words(b"some"))
    exact = surprise_of(thoughts, deed, {(face,): 1 for face in (1, 2, 3)}, Words(b"none"))
    assert found.half is not None
    assert 0 < abs(found.value - exact.value) <= 2 * found.half


@pytest.mark.parametrize("name", ROLLED)
def test_every_decision_of_a_round_that_is_played_on_says_how_likely_it_was(name: str) -> None:
    told = [event["decision"]["surprise"] for event in whole(name)["events"] if "decision" in event]
    assert told
    assert {figure[1] for figure in told} <= {"model", "sampled"}
    assert all(0 <= figure[0] <= MILLION for figure in told)
