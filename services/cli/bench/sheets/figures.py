"""The figures of a benchmark: how many, how long, and in the middle of several repetitions."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from msgspec import Struct


class Figure(Struct, frozen=True):
    """How fast something went: times a second, and how long one took, in milliseconds."""

    per_s: float
    p50_ms: float
    p99_ms: float


def figure(took_s: Sequence[float], elapsed_s: float, each: int = 1) -> Figure:
    """Return the figure of some work.

    Args:
        took_s: How long each piece took, in seconds; at least one.
        elapsed_s: How long all of it took, in seconds.
        each: How many a piece stands for.
    """
    ordered = sorted(took_s)
    return Figure(
        per_s=round(each * len(ordered) / elapsed_s, 1),
        p50_ms=round(1_000 * ordered[len(ordered) // 2], 3),
        p99_ms=round(1_000 * ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))], 3),
    )


def middle(figures: Sequence[Figure]) -> Figure:
    """Return the medians of several repetitions."""
    return Figure(
        round(median(one.per_s for one in figures), 1),
        round(median(one.p50_ms for one in figures), 6),
        round(median(one.p99_ms for one in figures), 6),
    )


def summed(*floors: Figure) -> Figure:
    """Return what floors come to that are waited for one after the other; a rate they have none."""
    return Figure(0.0, sum(one.p50_ms for one in floors), sum(one.p99_ms for one in floors))


def ratio(one: float, floor: float) -> float:
    """Return how one figure relates to another."""
    return round(one / floor, 4)
