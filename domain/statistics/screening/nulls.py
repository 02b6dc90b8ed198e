"""Nulls of a screening: how often chance alone comes as far as what was seen, by permutations that a lot draws.

    draw(n) = the first bytes of SHAKE-256(M(L, "TRN1.scr" || u16 stage || u32 round || u8 statistic
                                             || u32 i || u32 j || u32 n))

read as a big-endian number, from which a permutation takes one remainder after the other. L are the lots with which
the stage was opened, M is that of lots. There are 16 bytes more than the remainders need, so that no permutation is
likelier than another by more than one part in 2^128.

As many are drawn as the step over all pairs needs to tell anything, 9,999 at least: of the least chance there can be
with fewer, no field of more than some 25 tests would ever be told. Whoever 20 of them have come as far as is no pair
that stands out, and is let be with the chance of 20 in those drawn so far.

Sources: J. Besag, P. Clifford, "Sequential Monte Carlo p-values", Biometrika 78 (1991), 301-304; the laws of
tournaments, screening.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from fractions import Fraction
from typing import Final

from msgspec import Struct

DRAWS_MIN: Final = 9_999
"""How many permutations are drawn at least, unless it is plain before."""
DRAWS_MAX: Final = 199_999
"""And at most: one to two seconds of a core for a test that they are drawn for to the end."""
PLAIN: Final = 20
"""So many that come as far make it plain that chance does."""
SPARE_BYTES: Final = 16


class Null(Struct, frozen=True):
    """What chance alone makes of a statistic.

    Attributes:
        drawn: How many permutations were looked at.
        as_far: How many of them came as far as what was seen, or further.
        total: The sum of the statistic over all of them.
    """

    drawn: int
    as_far: int
    total: Fraction

    @property
    def chance(self) -> Fraction:
        """How likely chance alone comes so far; never 0, for what was seen is one of the permutations."""
        if self.as_far >= PLAIN:
            return Fraction(self.as_far, self.drawn)
        return Fraction(self.as_far + 1, self.drawn + 1)

    @property
    def mean(self) -> Fraction:
        """What the statistic is on average under chance alone; 0 where nothing was drawn."""
        return self.total / max(1, self.drawn)


class Draws(Struct, frozen=True):
    """The draws of a test: a key, what comes before the number of the draw, and how many bytes each has."""

    key: bytes
    label: bytes
    size: int

    def draw(self, number: int) -> int:
        """Return the chance that a permutation takes, as a number. Cost: two hashes."""
        lot = hmac.digest(self.key, self.label + number.to_bytes(4, "big"), "sha256")
        return int.from_bytes(hashlib.shake_256(lot).digest(self.size), "big")


class ScreeningLots(Struct, frozen=True):
    """What the permutations of a round are drawn by: the values of the lots of the stage, as bytes, and the place."""

    roll: bytes
    stage: int
    round: int

    def draws(self, statistic: int, one: int, other: int, ways: int) -> Draws:
        """Return the draws of a test of two entrants, each among so many ways."""
        place = self.stage.to_bytes(2, "big") + self.round.to_bytes(4, "big") + statistic.to_bytes(1, "big")
        label = b"TRN1.scr" + place + one.to_bytes(4, "big") + other.to_bytes(4, "big")
        return Draws(self.roll, label, (ways.bit_length() + 7) // 8 + SPARE_BYTES)


def null_of(statistic: Callable[[int], int], seen: int, unit: int, draws: Draws, most: int) -> Null:
    """Return what chance alone makes of a statistic, of which more is further.

    Args:
        statistic: What a permutation comes to, in units, given its draw.
        seen: What was seen, in units.
        unit: How many units are one.
        draws: The draws.
        most: How many permutations are looked at, if it is not plain before.
    """
    as_far, total, number = 0, 0, 0
    while number < most and as_far < PLAIN:
        came = statistic(draws.draw(number))
        total += came
        as_far += came >= seen
        number += 1
    return Null(number, as_far, Fraction(total, unit))
