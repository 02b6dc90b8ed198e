"""Odds of a hand for a player: how likely dice known in part reach each rung, by exact counting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, combinations_with_replacement
from math import factorial, prod

from domain.rules.ladders import Ladder, Value


def chances(ladder: Ladder, kept: Sequence[Value], free: int, faces: int) -> tuple[float, ...]:
    """Return the chance that these values with so many thrown dice reach each rung, lowest first.

    Cost: a measuring for every set of faces the thrown dice can show, 462 for six; remembered.
    """
    return _chances(ladder, tuple(sorted(kept)), free, faces)


def rung_of(ladder: Ladder, values: Sequence[Value]) -> int:
    """Return the rung that these values reach; remembered."""
    return _measure(ladder, tuple(sorted(values)))


@lru_cache(maxsize=4_096)
def lowest_dice(ladder: Ladder, kept: tuple[Value, ...], free: int, faces: int, rung: int) -> tuple[Value, ...] | None:
    """Return what the other dice show where these values make just this rung, or hardly more; None if they cannot."""
    thrown = combinations_with_replacement(range(faces), free)
    enough = [dice for dice in thrown if rung_of(ladder, (*kept, *dice)) >= rung]
    return min(enough, key=lambda dice: rung_of(ladder, (*kept, *dice)), default=None)


@lru_cache(maxsize=4_096)
def _chances(ladder: Ladder, kept: tuple[Value, ...], free: int, faces: int) -> tuple[float, ...]:
    ways = [0] * (ladder.top + 2)
    for thrown in combinations_with_replacement(range(faces), free):
        # The first entry counts dice that are worth no claim.
        ways[rung_of(ladder, (*kept, *thrown)) + 1] += _orders(thrown)
    every = faces**free
    return tuple(so_many / every for so_many in accumulate(reversed(ways)))[::-1][1:]


@lru_cache(maxsize=16_384)
def _measure(ladder: Ladder, values: tuple[Value, ...]) -> int:
    return ladder.measure(values)


def _orders(thrown: tuple[Value, ...]) -> int:
    return factorial(len(thrown)) // prod(factorial(alike) for alike in Counter(thrown).values())
