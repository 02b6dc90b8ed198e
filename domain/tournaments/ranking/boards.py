"""Scores of a duplicate board: the same dice at every table, and the difference to the others who had them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction


def board_scores(tables: Sequence[Mapping[int, Fraction]]) -> list[dict[int, Fraction]]:
    """Return what each position of each table scores: its points less the mean of that position elsewhere.

    The scores of a position sum to 0.

    Args:
        tables: For each table, at least two, the points of each position.
    """
    totals = {position: sum((points[position] for points in tables), Fraction(0)) for position in tables[0]}
    others = len(tables) - 1
    return [
        {position: own - (totals[position] - own) / others for position, own in points.items()} for points in tables
    ]
