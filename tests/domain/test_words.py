"""The words for claims, dice and amounts."""

from __future__ import annotations

import pytest

from domain.rules.rules import DIGITS, PIPS, POKER
from projections.words import amount_words, face_mark


@pytest.mark.parametrize(("face", "mark"), [(9, "9"), (10, "10"), (11, "J"), (12, "Q"), (13, "K"), (14, "A")])
def test_poker_dice_have_letters_on_them(face: int, mark: str) -> None:
    assert face_mark(face, POKER) == mark


def test_pips_and_digits_are_numbers() -> None:
    assert [face_mark(3, PIPS), face_mark(0, DIGITS)] == ["3", "0"]


@pytest.mark.parametrize(
    ("amount", "unit", "words"),
    [(1, "die", "1 die"), (2, "die", "2 dice"), (-1, "unit", "-1 unit"), (0, "loss", "0 lost hands")],
)
def test_one_of_a_unit_is_told_from_many(amount: int, unit: str, words: str) -> None:
    assert amount_words(amount, unit) == words
