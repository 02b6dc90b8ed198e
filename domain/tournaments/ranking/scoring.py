"""Points of places: what first, second and every other place at a table is worth, shared places and byes included.

A place counts by the size that the table was paired for, so that nobody gains or loses by others who stayed away. Who
shares places shares their points. All numbers are exact: `fractions.Fraction`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

from msgspec import Struct, field

HALF = Fraction(1, 2)


class Scoring(Struct, frozen=True):
    """What places and byes are worth.

    Attributes:
        scheme: `share`, the share of opponents that were beaten, 1 to 0 for every size; `ladder`, how many were beaten;
            `winner`, 1 for the first place alone; `custom`, as `points` lists them.
        bye: What a pairing bye is worth, as a share of a first place at a table of the preferred size.
        points: For `custom`, the points of places 1, 2, ... by the size of the table.
    """

    scheme: str = "share"
    bye: Fraction = Fraction(1)
    points: Mapping[int, tuple[Fraction, ...]] = field(default_factory=dict)

    def places(self, size: int) -> tuple[Fraction, ...]:
        """Return the points of places 1 to `size` at a table that was paired for so many, at least two."""
        if self.scheme == "custom":
            return self.points[size]
        return _places(self.scheme, size)

    def bye_points(self, kind: str, top: Fraction) -> Fraction:
        """Return what a bye is worth where a first place is worth `top`: one of `pairing`, `full`, `half`, `zero`."""
        return top * {"pairing": self.bye, "full": Fraction(1), "half": HALF, "zero": Fraction(0)}[kind]


@lru_cache
def _places(scheme: str, size: int) -> tuple[Fraction, ...]:
    """Return the points of the places of a scheme that is a formula."""
    beaten = range(size - 1, -1, -1)
    if scheme == "share":
        return tuple(Fraction(others, size - 1) for others in beaten)
    if scheme == "ladder":
        return tuple(Fraction(others) for others in beaten)
    assert scheme == "winner", scheme
    return (Fraction(1), *(Fraction(0),) * (size - 1))


def level_points(worth: Sequence[Fraction], shape: Sequence[int]) -> tuple[Fraction, ...]:
    """Return what each level of a ranking gives to each who is on it.

    Args:
        worth: The points of places 1, 2, ... of the table.
        shape: How many are on each level, the best first.
    """
    points: list[Fraction] = []
    place = 0
    for many in shape:
        points.append(sum(worth[place : place + many], Fraction(0)) / many)
        place += many
    return tuple(points)
