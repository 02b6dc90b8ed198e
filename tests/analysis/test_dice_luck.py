"""Luck of the dice alone: it is that of the analysis, in every kind of round, and unknown where the dice are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial

import pytest
from msgspec.structs import replace

from domain.analysis.dice_luck import dice_luck
from domain.analysis.figures import Figure
from domain.analysis.joining import joined, rounds_of, settings_of
from domain.analysis.means import SAMPLES_MIN
from domain.analysis.record.following import FollowedRecord, FollowedRound, follow
from domain.ids import Seat
from services.analysis.making import WantedAnalysis, means_for
from services.evaluators.batch_evaluator import evaluate
from tests.analysis.played import lines_of, secretless
from tests.analysis.test_blind_cup import played
from tests.analysis.test_documents import SHELF

Brought = dict[Seat, Fraction] | None


def brought(followed: FollowedRecord) -> list[Brought]:
    """Return what the dice of each round brought."""
    means = means_for(followed, WantedAnalysis(samples=SAMPLES_MIN), SHELF)
    return [dice_luck(each, setting) for each, setting in settings_of(followed, means, evaluate)]


def summed(rounds: Sequence[Brought], seat: Seat) -> Fraction:
    return sum([each.get(seat, Fraction(0)) for each in rounds if each is not None], Fraction(0))


RECORDS: dict[str, Callable[[], Sequence[bytes]]] = {
    "common_hand": partial(lines_of, "common_hand"),
    "mexican": partial(lines_of, "mexican"),
    "two dice": partial(lines_of, "two_dice_pass"),
    "mexican of two": lambda: played("mexican", 7).lines,
}


@pytest.mark.parametrize("name", RECORDS)
def test_what_dice_brought_is_what_the_analysis_says(name: str) -> None:
    followed = follow(RECORDS[name]())
    means = means_for(followed, WantedAnalysis(samples=SAMPLES_MIN), SHELF)
    rounds = list(rounds_of(followed, means, evaluate))
    found = [each for each, told in zip(brought(followed), rounds, strict=True) if told.luck is not None]
    assert None not in found
    for seat in joined(followed, means, rounds).seats:
        assert seat.luck is not None
        assert isinstance(seat.luck.own, Figure)
        assert isinstance(seat.luck.theirs, Figure)
        # Each part of each round is rounded by itself.
        assert abs(summed(found, seat.seat) * 1_000_000 - seat.luck.own.ppm - seat.luck.theirs.ppm) <= 3 * len(found)


@pytest.mark.parametrize("name", ["common_hand", "finska"])
def test_dice_that_no_line_opens_bring_what_nobody_can_tell(name: str) -> None:
    assert None in brought(follow(secretless(lines_of(name))))


def test_where_no_dice_decided_a_round_it_is_weighed_only_if_no_move_is_needed_for_that() -> None:
    for name, weighed in (("common_hand", True), ("finska", False)):
        followed = follow(lines_of(name))
        first = followed.rounds[0]
        assert first.verdict is not None
        cut = tuple([step for step in first.steps if step.version < first.verdict.version])
        (found,) = brought(replace(followed, rounds=(FollowedRound(first.number, first.starter, cut),)))
        assert (found is not None) == weighed


def test_a_round_that_was_not_dealt_brings_nothing() -> None:
    followed = follow(lines_of("common_hand"))
    first = followed.rounds[0]
    undealt = replace(followed, rounds=(FollowedRound(first.number, first.starter, first.steps[:1]),))
    assert brought(undealt) == [None]
