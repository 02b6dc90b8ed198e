"""Effort: how large a duel is, and about how long it takes to solve; known before anything is begun."""

from __future__ import annotations

from functools import cache
from typing import Final

from domain.strategy.duels.duel import CHALLENGE, Duel

PAIRS_MAX: Final = 5_000_000
"""How large a duel may be: two gigabytes, and half a minute to more than a quarter of an hour."""
SECOND: Final = 150_000
"""One so large takes a second on one core."""
GROWTH: Final = 1.6
"""One twice as large takes twice as long so many times, as a power. Measured: 20,000 to 4,100,000."""


def pairs_of(duel: Duel) -> int:
    """Return how large a duel is: rows of claims there can be, times the hands of both."""

    @cache
    def rows(standing: bytes) -> int:
        raises = [move for move in duel.replies(standing) if move != CHALLENGE]
        return 1 + sum([rows(bytes([move])) for move in raises])

    return rows(b"") * len(duel.hands(0)) * len(duel.hands(1))


def seconds_for(duel: Duel) -> int:
    """Return about how long a duel takes, one or more, within a factor of ten."""
    return 1 + int((pairs_of(duel) / SECOND) ** GROWTH)
