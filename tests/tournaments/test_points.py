"""Points are written in one way each."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.tournaments.points import NotPoints, points_of, points_text


@given(st.fractions(-1_000_000, 1_000_000, max_denominator=840))
def test_what_is_written_is_read_as_it_was(points: Fraction) -> None:
    assert points_of(points_text(points)) == points


@pytest.mark.parametrize(
    "text", ["", "2/4", "0.5", "1/0", "1e9", "-0", "07", "1/1", "0/2", "+1", " 1", "1\n", "½", "\u0661"]
)
def test_no_other_text_is_a_number(text: str) -> None:
    with pytest.raises(NotPoints):
        points_of(text)
