"""Slips: printed numbers that are played in an order nobody can plan on.

Source: Salomon 1986. After a round the seats say whether the last digit they played is odd; as many unplayed numbers as
there are odd digits are skipped, going down the slip and from its end to its top.
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec import Struct


class Slip(Struct, frozen=True):
    """Where every slip of the table stands, for all stay in step.

    Attributes:
        position: The position played now, from 1.
        played: The positions played before.
        odd: The seats whose last digit was odd in the last round.
    """

    position: int
    played: tuple[int, ...] = ()
    odd: tuple[int, ...] = ()


def next_position(length: int, current: int, played: Collection[int], skipped: int) -> int | None:
    """Return the position to play next, from 1; None when every number has been played.

    Args:
        length: How many numbers a slip has.
        current: The position just played.
        played: Every position played so far, this one among them.
        skipped: How many unplayed numbers to pass over; beyond the last it goes on from the top.
    """
    down = (*range(current + 1, length + 1), *range(1, current + 1))
    left = [position for position in down if position not in played]
    return left[skipped % len(left)] if left else None
