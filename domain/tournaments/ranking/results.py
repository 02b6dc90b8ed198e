"""Results as they count: of each table the last ruling or the last attempt, of each round who had a bye.

Values, and nothing that is worked out of them. An entrant who has neither a result nor a bye in a round has a zero bye.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from msgspec import Struct


class TableResult(Struct, frozen=True):
    """What came of a table.

    Attributes:
        round: From 1.
        table: Its number in the round, from 1.
        numbers: Who was paired, in seat order; the first opens.
        ranking: Who was there, the best first; those who share a place together.
        absent: Who was paired and not there.
        points: What a ruling gives instead of the points of places, or None.
    """

    round: int
    table: int
    numbers: tuple[int, ...]
    ranking: tuple[tuple[int, ...], ...]
    absent: tuple[int, ...] = ()
    points: Mapping[int, Fraction] | None = None


class Bye(Struct, frozen=True):
    """A round without a table.

    Attributes:
        round: From 1.
        number: Who had it.
        kind: `pairing`, given by the law of pairing; `full`, `half` or `zero`, which were asked for, or given for a
            round that was missed.
    """

    round: int
    number: int
    kind: str


class PointsPenalty(Struct, frozen=True):
    """Points that an official gave or took: they count in the own score, and in nobody's tie-breaks.

    Attributes:
        number: Whose they are.
        points: Below 0 where they are taken.
    """

    number: int
    points: Fraction
