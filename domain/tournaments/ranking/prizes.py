"""Prizes: who shares places shares the sum of what they are worth, exactly, and paid in whole units to the last one."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from msgspec import Struct


class Prize(Struct, frozen=True):
    """What somebody wins.

    Attributes:
        number: Who wins it.
        share: What is theirs exactly, in units of the prizes.
        whole: What is paid, in whole units.
    """

    number: int
    share: Fraction
    whole: int


def prizes(ranking: Sequence[Sequence[int]], amounts: Sequence[int], lots: Sequence[int]) -> list[Prize]:
    """Return what everybody wins whose place is worth something, in the order of places and then of numbers.

    What does not divide is paid one unit each, by lot.

    Args:
        ranking: Who has a place, the best first, who shares one together.
        amounts: What places 1, 2, ... are worth, in whole units.
        lots: Entrants in lot order.
    """
    found = []
    place = 0
    for level in ranking:
        total = sum(amounts[place : place + len(level)])
        whole, rest = divmod(total, len(level))
        lucky = sorted(level, key=lots.index)[:rest] if rest else []
        if total:
            found += [Prize(n, Fraction(total, len(level)), whole + (n in lucky)) for n in sorted(level)]
        place += len(level)
    return found
