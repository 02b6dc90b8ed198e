"""The chi-square test: how likely chance alone is as uneven as what was counted, as a p-value and nothing else."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

TERMS = 10_000
SMALLEST = 1e-300


def evenness(found: Iterable[Any], cells: int) -> float:
    """Return the p-value of the hypothesis that each of so many cells is equally likely."""
    counts = Counter(found)
    expected = counts.total() / cells
    assert expected >= 5, "chi-square needs at least five in each cell"
    squares = sum((count - expected) ** 2 for count in counts.values()) / expected
    return upper_tail(squares + expected * (cells - len(counts)), cells - 1)


def fit(counts: Mapping[Any, int], chances: Mapping[Any, float]) -> float:
    """Return the p-value of the hypothesis that the cells have these chances, which come to 1."""
    total = sum(counts.values())
    wanted = {cell: total * chance for cell, chance in chances.items()}
    squares = sum((counts.get(cell, 0) - expected) ** 2 / expected for cell, expected in wanted.items())
    return upper_tail(squares, len(chances) - 1)


def upper_tail(chi_square: float, freedom: int) -> float:
    """Return the chance that chi-square with so many degrees of freedom is at least this: Q(freedom / 2, x / 2).

    Source: Abramowitz and Stegun 6.5.29 (the series) and 6.5.31 (the continued fraction, by Lentz's method).
    """
    a, x = freedom / 2, chi_square / 2
    if x <= 0:
        return 1.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    return 1.0 - scale * _series(a, x) if x < a + 1 else scale * _fraction(a, x)


def _series(a: float, x: float) -> float:
    term = total = 1 / a
    for n in range(1, TERMS):
        term *= x / (a + n)
        total += term
        if term < total * 1e-15:
            break
    return total


def _fraction(a: float, x: float) -> float:
    b = x + 1 - a
    c, d = 1 / SMALLEST, 1 / b
    found = d
    for n in range(1, TERMS):
        step = n * (a - n)
        b += 2
        d = 1 / (step * d + b or SMALLEST)
        c = b + step / c or SMALLEST
        found *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return found
