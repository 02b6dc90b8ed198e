"""Parameters of a level policy: every constant of level 1, as the header of its file has them."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from msgspec import Struct

Ratio = tuple[int, int]
"""A fraction as a file writes it: numerator and denominator."""


class LevelParams(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What level 1 is made of.

    Attributes:
        power: How much more the better move is played: the k of `weight`.
        steps: How many of the lowest legal quantities of a face, or rungs, are thought of.
        tries: How many more rolls are reckoned with before a hand is tested.
        tries_keeping: The same where a passed cup keeps dice.
        nerve: What a lie about a hand is worth of how it looks to the public.
        tame: What a true call loses that names the lowest rung instead of one's own.
        reach: How many more rolls are reckoned with where the dice are not looked at.
        odd: How much of the doubt goes to moves that level 1 does not think of.
        doubts: How much a seat may be doubted, ascending.
        doubt_keep: How much of what was learnt of a seat is kept after a round.
        grain: Into how many steps a worth is cut, and a doubt.
    """

    power: int = 8
    steps: int = 3
    tries: int = 3
    tries_keeping: int = 12
    nerve: Ratio = (1, 2)
    tame: Ratio = (3, 10)
    reach: int = 3
    odd: Ratio = (1, 16)
    doubts: tuple[Ratio, ...] = ((1, 32), (1, 8), (1, 4), (1, 2), (3, 4))
    doubt_keep: Ratio = (9, 10)
    grain: int = 1024

    def with_power(self, power: int) -> LevelParams:
        """Return the same but for the power, which is all that styles differ in."""
        fields = {name: getattr(self, name) for name in self.__struct_fields__}
        return LevelParams(**{**fields, "power": power})


LEVEL_ONE: Final = LevelParams()
"""The constants of section 5.2 of the specification; `level1` as it is shipped."""


def fraction_of(ratio: Ratio) -> Fraction:
    """Return the fraction that a file writes as two integers."""
    return Fraction(*ratio)
