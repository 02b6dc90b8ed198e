"""Figures are rounded once, half to even, and say what vouches for them."""

from __future__ import annotations

from fractions import Fraction

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.analysis.figures import BackedFigure, divide, exact, model, ppm_of, sampled


@given(st.integers(-(10**9), 10**9), st.integers(1, 10**6))
def test_a_quotient_is_rounded_as_a_fraction_is(value: int, by: int) -> None:
    assert divide(value, by) == round(Fraction(value, by))


def test_halves_go_to_the_even_neighbour() -> None:
    assert [ppm_of(Fraction(half, 2_000_000)) for half in (-3, -1, 1, 3, 5)] == [-2, 0, 0, 2, 2]


@pytest.mark.parametrize(
    ("figure", "said"),
    [
        (exact(Fraction(5, 9)), '[555556,"exact","5/9"]'),
        (exact(1), '[1000000,"exact","1"]'),
        (exact(Fraction(-1, 3)), '[-333333,"exact","-1/3"]'),
        (exact(Fraction(1, 10**40)), '[0,"exact"]'),
        (exact(Fraction(1, 10**39)), '[0,"exact","1/1' + "0" * 39 + '"]'),
        (model(504_527), '[504527,"model"]'),
        (BackedFigure(277_778, "certified", 0), '[277778,"certified",0]'),
        (sampled(504_527, 12), '[504527,"sampled",12]'),
    ],
)
def test_a_figure_is_an_array_of_two_or_three(figure: object, said: str) -> None:
    assert msgspec.json.encode(figure).decode() == said
