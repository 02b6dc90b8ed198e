"""The first lesson: what it teaches is what rules and analyses say, in every language it is told in."""

from __future__ import annotations

from itertools import chain

import msgspec
import pytest

from domain.games import rules_of
from domain.rules.claims import Auction, count_of, holds, refusal
from domain.rules.orders import Count
from domain.rules.rules import PIPS, Counting
from domain.statistics.odds import chance_of_bid
from services.web.assets import FOLDER
from services.web.teaching.lesson import LessonStep, lesson
from services.words.catalogue import LANGUAGES


@pytest.fixture(scope="module")
def auction() -> Auction:
    counting = rules_of("common_hand", {}).claims
    assert isinstance(counting, Counting)
    return Auction(counting, sum(map(len, lesson().hands.values())), PIPS, wild=counting.wild == "always")


def step(name: str) -> LessonStep:
    return next(each for each in lesson().steps if each.name == name)


def test_every_claim_is_legal_and_the_wrong_answers_are_not(auction: Auction) -> None:
    for each in lesson().steps:
        standing = None
        for said in each.said:
            claim = Count(said.quantity, said.face)
            assert refusal(auction, standing, claim) is None
            standing = claim
        for choice in each.choices:
            if choice.quantity is not None and choice.face is not None and choice.name != "higher":
                code = refusal(auction, standing, Count(choice.quantity, choice.face))
                assert (code is None) == choice.right, choice
        assert sum(choice.right for choice in each.choices) == bool(each.choices)


def test_the_last_claim_falls_by_the_count_that_is_told(auction: Auction) -> None:
    last, numbers = step("lift").said[-1], lesson().numbers
    counts = {who: count_of(auction, last.face, dice) for who, dice in lesson().hands.items()}

    assert {who: numbers[who] for who in counts} == counts
    assert numbers["sum"] == sum(counts.values()) == 5
    assert not holds(auction, Count(last.quantity, last.face), [*chain(*lesson().hands.values())])
    assert [each.lost for each in lesson().steps if each.lost] == [last.who]
    assert numbers["left"] == len(lesson().hands[last.who]) - 1


def test_what_is_right_is_what_an_analysis_would_have_played() -> None:
    figures, right = lesson().figures, {choice.name: choice.right for choice in step("doubt").choices}
    assert right == {"higher": False, "liar": True}
    lower = [figure.ppm + getattr(figure, "more", 0) for figure in (figures["higher"],)]
    assert figures["liar"].by == figures["higher"].by == "sampled"
    assert figures["liar"].ppm - getattr(figures["liar"], "more", 0) > max(lower)


def test_how_likely_the_last_claim_is_said_to_be_follows_from_the_dice() -> None:
    last, own = step("doubt").said[-1], lesson().hands[lesson().learner]
    claim, others = Count(last.quantity, last.face), lesson().numbers["others"]
    odds = chance_of_bid(claim, own, others, wild=True, natural=False, faces=PIPS)
    assert lesson().figures["odds"].ppm == round(odds * 1_000_000)
    # Those who bid it are believed a little, and not altogether.
    assert odds < lesson().figures["read"].ppm / 1_000_000 < 1 / 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_step_and_answer_is_told(language: str) -> None:
    words = msgspec.json.decode((FOLDER / "words" / f"{language}.json").read_bytes())["teach"]["learn"]
    asked = {each.name: {choice.name for choice in each.choices} for each in lesson().steps if each.choices}

    assert words["titles"].keys() == words["texts"].keys() == {each.name for each in lesson().steps}
    assert {step: {*answers} for step, answers in words["answers"].items()} == asked
    assert {*words["names"]} == {*lesson().hands}
