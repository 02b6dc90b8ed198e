"""Luck: hands held against every throw there is, and what is told of them in standard deviations."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import commands
from domain.rules.rules import Faces
from domain.statistics.luck import Luck, best_count, luck_of, luck_of_match, luck_rows, shown_luck
from tests.tournaments.boards_by_hand import PlayedBoard, board_rules


@pytest.mark.parametrize("wild", [False, True])
@pytest.mark.parametrize(("dice", "faces"), [(1, 6), (3, 6), (5, 4), (2, 2)])
def test_mean_and_variance_are_those_of_all_throws(dice: int, faces: int, *, wild: bool) -> None:
    shown = Faces(1, faces)
    throws = [_counted(throw, faces, wild=wild) for throw in product(range(1, faces + 1), repeat=dice)]
    mean = Fraction(sum(throws), len(throws))
    variance = sum(((each - mean) ** 2 for each in throws), Fraction(0)) / len(throws)
    for throw in ((1,) * dice, (faces,) * dice, tuple(range(dice))):
        hand = [1 + value % faces for value in throw]
        expected = Luck(1, _counted(hand, faces, wild=wild) - mean, variance)
        assert expected == luck_of(hand, shown, wild=wild)


def _counted(hand: Sequence[int], faces: int, *, wild: bool) -> int:
    return max(sum(die == face or (wild and die == 1) for die in hand) for face in range(1, faces + 1))


def test_the_most_dice_of_a_hand_are_counted() -> None:
    assert best_count([2, 2, 1, 5], wild=True) == 3
    assert best_count([2, 2, 1, 5], wild=False) == 2
    assert best_count([1, 1, 1], wild=True) == 3


@given(st.fractions(-50, 50), st.fractions(Fraction(1, 100), 100))
def test_what_is_told_is_the_root_rounded_once(above: Fraction, variance: Fraction) -> None:
    told = Luck(3, above, variance).hundredths
    exact = 100 * float(above) / sqrt(float(variance))
    assert abs(told - exact) <= 0.5 + 1e-6
    assert told == -Luck(3, -above, variance).hundredths


@pytest.mark.parametrize(
    ("above", "variance", "shown"),
    [
        (Fraction(0), Fraction(0), "+0.00"),
        (Fraction(1), Fraction(4), "+0.50"),
        (Fraction(-5, 2), Fraction(4), "-1.25"),
        (Fraction(1, 200), Fraction(1), "+0.01"),
        (Fraction(-1, 300), Fraction(1), "+0.00"),
    ],
)
def test_luck_is_told_with_a_sign_and_two_digits(above: Fraction, variance: Fraction, shown: str) -> None:
    assert shown_luck(Luck(1, above, variance)) == shown


def test_hands_are_those_that_were_shown_to_all_by_whoever_held_them() -> None:
    board = PlayedBoard(board_rules(seats=3))
    board.log()
    list(board.steps())
    first, second = (luck_of_match(each.lines) for each in board.tables.values())
    assert sum(luck.hands for luck in first.values()) > 3
    rows = luck_rows([((7, 8, 9), first), ((9, 8, 7), second)])
    assert [row.number for row in rows] == [7, 8, 9]
    assert rows[0].hands == first[1].hands + second[3].hands
    assert rows[0].shown == shown_luck(first[1] + second[3])


def test_dice_that_nobody_showed_are_nobodys_luck() -> None:
    board = PlayedBoard(board_rules(seats=3))
    board.log()
    board.proceed()
    given_up = board.tables[1]
    given_up.do(commands.Forfeit(2), board.keeper)
    assert luck_of_match(given_up.lines) == {}
