"""Luck where the cases of `luck.json` say nothing: rolls on the way, seats that are out, marks of a deal."""

from __future__ import annotations

from fractions import Fraction

import pytest

from domain.analysis.worths.estimates import Estimate
from domain.analysis.worths.luck import RoundOfLuck, Swing, luck_of, mark_of
from domain.ids import Seat


def worth(first: Fraction | str) -> dict[Seat, Estimate]:
    return {1: Estimate(Fraction(first)), 2: Estimate(1 - Fraction(first))}


def test_every_change_has_its_place() -> None:
    swings = (
        Swing(worth("7/10"), decided=1, skill=Estimate(Fraction(-1, 10))),
        Swing(worth("6/10"), rolled=2),
        Swing(worth("8/10"), rolled=1),
        Swing(worth("9/10"), decided=2),
        Swing(worth("1")),
    )
    played = RoundOfLuck(worth("1/2"), worth("55/100"), worth("4/10"), worth("6/10"), swings)
    first, second = [luck_of(seat, Fraction(1, 2), Fraction(seat == 1), [played]) for seat in (1, 2)]
    assert (first.table, first.own, first.theirs) == (50_000, -150_000 + 200_000, 200_000 - 100_000)
    assert (first.skill, first.unseen, first.others) == (-100_000, 200_000, 200_000)
    assert first.luck == 350_000
    assert (second.table, second.own, second.theirs) == (-50_000, 150_000 + 100_000, -200_000 - 200_000)
    assert (second.skill, second.unseen, second.others) == (0, -100_000, -200_000)


def test_a_round_without_all_dice_falls_to_others() -> None:
    found = luck_of(3, Fraction(1, 3), Fraction(0), [RoundOfLuck({}, {}, {}, {}, ())])
    assert (found.start, found.others, found.end) == (333_333, -333_333, 0)


def test_what_was_drawn_says_how_far_it_may_be_off() -> None:
    drawn = {1: Estimate(Fraction(1, 2), Fraction(1, 100))}
    found = luck_of(1, Fraction(1, 2), Fraction(1), [RoundOfLuck(worth("1/2"), drawn, worth("1/2"), worth("1/2"), ())])
    assert {name: round(half, 9) for name, half in found.half.items()} == dict.fromkeys(
        ("table", "own"), Fraction(1, 100)
    )


@pytest.mark.parametrize(
    ("own", "mark"),
    [
        (0, None),
        (149_999, None),
        (150_000, "lucky"),
        (-300_000, "very_unlucky"),
        (300_000, "very_lucky"),
        (-150_000, "unlucky"),
    ],
)
def test_dice_are_marked_by_what_was_at_stake(own: int, mark: str | None) -> None:
    assert mark_of(own, 500_000) == mark
    assert mark_of(own, 0) is None
