"""Effort: how large a duel is, and about how long it takes to solve or to learn; known before anything is begun."""

from __future__ import annotations

from functools import cache
from typing import Final

from domain.strategy.duels.duel import CHALLENGE, Duel
from services.solver.contexts import Contexts
from services.solver.regrets import HANDS_MAX

PAIRS_MAX: Final = 5_000_000
"""How large a duel may be: two gigabytes, and half a minute to more than a quarter of an hour."""
SECOND: Final = 150_000
"""One so large takes a second on one core."""
GROWTH: Final = 1.6
"""One twice as large takes twice as long so many times, as a power. Measured: 20,000 to 4,100,000."""
ENTRIES_MAX: Final = 40_000_000
"""How many weights a blueprint may be learnt from: a gigabyte. Four dice each have 25 million."""
PASS_SECOND: Final = 80_000_000
GROUP_SECONDS: Final = 0.000_25
"""So many moves times hands of both are gone through in a second, and so long takes a group beside. Measured: one die
each to three."""


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


def entries_of(contexts: Contexts) -> int:
    """Return how many weights a plan has: moves of every context, for each hand."""
    hands = [len(contexts.duel.hands(place)) for place in (0, 1)]
    return sum([hands[group.turn] * len(group.earlier) * len(group.moves) for group in contexts.groups])


def seconds_for_pass(contexts: Contexts) -> float:
    """Return about how long it takes to go through all contexts once."""
    moves = sum([len(group.earlier) * len(group.moves) for group in contexts.groups])
    first, other = (min(HANDS_MAX, len(contexts.duel.hands(place))) for place in (0, 1))
    return moves * first * other / PASS_SECOND + len(contexts.groups) * GROUP_SECONDS
