"""Flags: which of many tests stand out, so that of all that are told at most one in a hundred is chance, on average.

The step of Benjamini and Yekutieli: of m chances in rising order the k-th is told, and all before it, if it is at most
k / (m c(m)) of the level, with c(m) = 1 + 1/2 + ... + 1/m, for the largest such k. It holds however tests hang
together, and those of pairs that share an entrant do.

Source: Y. Benjamini, D. Yekutieli, "The control of the false discovery rate in multiple testing under dependency",
Ann. Statist. 29 (2001), 1165-1188, theorem 1.3.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction
from math import ceil
from typing import Final, TypeVar

from domain.statistics.screening.nulls import DRAWS_MAX, DRAWS_MIN

Test = TypeVar("Test", bound=Hashable)

LEVEL: Final = Fraction(1, 100)
GRID: Final = 10**12
"""Sums of fractions grow long: c(m) is rounded up term by term on this grid, which tells less and never more."""


def harmonic(tests: int) -> Fraction:
    """Return c(m), rounded up by less than m in 10^12."""
    return Fraction(sum(-(-GRID // k) for k in range(1, tests + 1)), GRID)


def flagged(chances: Mapping[Test, Fraction], level: Fraction = LEVEL) -> frozenset[Test]:
    """Return the tests that stand out, of all that were made. Cost: that of sorting them."""
    ordered = sorted(chances.values())
    share = level / (len(ordered) * harmonic(len(ordered))) if ordered else level
    highest = max((chance for k, chance in enumerate(ordered, start=1) if chance <= k * share), default=None)
    return frozenset(test for test, chance in chances.items() if highest is not None and chance <= highest)


def draws_for(tests: int) -> int:
    """Return how many permutations let one test of so many stand out by itself, within `DRAWS_MIN` and `DRAWS_MAX`."""
    return min(max(DRAWS_MIN, ceil(tests * harmonic(tests) / LEVEL)), DRAWS_MAX)
