"""Attacks on the auditor: records whose own lines are no lines of the game."""

from __future__ import annotations

from typing import Any

import pytest

from domain.fairness.records import Line
from services.verdict import Seeds, seeds_of


def line(kind: str, data: dict[str, Any]) -> Line:
    return Line(1, kind, data, 0)


@pytest.mark.parametrize("data", [{}, {"seat": [1]}, {"seat": {}}, {"seat": None}, {"seat": "1"}])
def test_a_custody_line_that_names_no_seat_is_judged_and_breaks_nothing(data):
    lines = [line("seed.committed", {"deal": 0, "seat": 1, "commit": "0" * 64}), line("game.seed_custody", data)]
    assert seeds_of(lines) == Seeds((1,), ())
