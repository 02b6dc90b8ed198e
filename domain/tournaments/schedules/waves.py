"""Waves of an arena: who of those that wait are seated, and what a row of first places is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from domain.ids import Milliseconds, UnixMs

STREAK = 2
"""So many first places in a row, and the next ones count double."""


def taken(
    idle: Mapping[int, UnixMs],
    lots: Sequence[int],
    now: UnixMs,
    patience_ms: Milliseconds,
    preferred: int,
    smallest: int,
    largest: int,
) -> list[int]:
    """Return who is seated in a wave, in the order of numbers; nobody where there is none.

    There is a wave if twice a table of the preferred size is idle, or somebody has lost patience. It takes the most
    that can be seated without a bye, who has waited longest first, of equals the first in lot order.

    Args:
        idle: Who sits nowhere and wants to, and since when.
        lots: Those who are idle, in the lot order of the wave.
        now: The moment of the wave.
        patience_ms: How long nobody waits if it can be helped.
        preferred: The size that tables should have.
        smallest: The least that a table seats.
        largest: The most that a table seats.
    """
    if len(idle) < 2 * preferred and all(now - since < patience_ms for since in idle.values()):
        return []
    seated = next((many for many in range(len(idle), 0, -1) if -(-many // largest) * smallest <= many), 0)
    order = sorted(lots, key=lambda number: idle[number])
    return sorted(order[:seated])


def arena_score(points: Sequence[Fraction], *, streak: bool) -> Fraction:
    """Return the score of an arena.

    Args:
        points: What each table gave, the first first, where a first place that nobody shares is worth 1.
        streak: Whether a first place counts double after two in a row, until one is missed.
    """
    score = Fraction(0)
    row = 0
    for given in points:
        first = given == 1
        score += given * (2 if streak and first and row >= STREAK else 1)
        row = row + 1 if first else 0
    return score
