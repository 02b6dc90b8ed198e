"""Histograms as plain lists: an addition costs a search among a few bounds, and no lock."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final

SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""Bounds for what takes some milliseconds at rest and is given up after some seconds."""


class Buckets:
    """How many values there were up to each bound, and their sum.

    Attributes:
        total: The sum of all values.
    """

    __slots__ = ("_bounds", "_counts", "total")

    def __init__(self, bounds: Sequence[float] = SECONDS) -> None:
        """Count between these bounds, which ascend."""
        self._bounds = tuple(bounds)
        self._counts = [0] * (len(self._bounds) + 1)
        self.total = 0.0

    def add(self, value: float) -> None:
        """Count a value."""
        self._counts[bisect_left(self._bounds, value)] += 1
        self.total += value

    def counts(self) -> Iterator[tuple[str, float]]:
        """Yield each bound as Prometheus writes it, with how many values there were up to it; `+Inf` is the last."""
        yield from zip((*map(str, map(float, self._bounds)), "+Inf"), accumulate(self._counts), strict=True)
