"""Waves of an arena: who of those that wait are seated, and what a row of first places is worth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Final

from domain.ids import Milliseconds, UnixMs

STREAK = 2
"""So many first places in a row, and the next ones count double."""
LOOKS_MAX: Final = 10_000
"""So many beginnings of a table are looked at for each size, where some may not meet."""


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
    return sorted(most_of(sorted(lots, key=lambda number: idle[number]), smallest, largest))


def most_of(order: Sequence[int], smallest: int, largest: int) -> Sequence[int]:
    """Return the first of an order, as many as can be seated without a bye."""
    return order[: next((many for many in range(len(order), 0, -1) if -(-many // largest) * smallest <= many), 0)]


def in_company(order: Sequence[int], apart: Iterable[tuple[int, int]], smallest: int) -> list[int]:
    """Return those of an order who may meet at least as many of the others in it as fill the smallest table."""
    others, left = _apart(order, apart), list(order)
    while True:
        there = set(left)
        stay = [number for number in left if len(there - others[number]) >= smallest]
        if len(stay) == len(left):
            return left
        left = stay


def first_table(
    order: Sequence[int], apart: Iterable[tuple[int, int]], preferred: int, smallest: int
) -> tuple[int, ...] | None:
    """Return one table of people who may all meet, in this order; None where none can be filled.

    It has the preferred size, or else the largest below that which can be filled, and no place at it could go to
    somebody who is before who has it, with those in front of it as they are.

    Args:
        order: Who is idle, the first to be seated first.
        apart: Who may not meet.
        preferred: The size that the table should have.
        smallest: The least that it seats.
    """
    others = _apart(order, apart)
    sizes = range(preferred, smallest - 1, -1)
    return next((table for size in sizes if (table := _table_of(order, others, size)) is not None), None)


def _apart(order: Iterable[int], apart: Iterable[tuple[int, int]]) -> dict[int, set[int]]:
    """Return for each whom they may not meet."""
    others: dict[int, set[int]] = {number: set() for number in order}
    for one, other in apart:
        others[one].add(other)
        others[other].add(one)
    return others


def _table_of(order: Sequence[int], others: Mapping[int, set[int]], size: int) -> tuple[int, ...] | None:
    """Return the first table of a size, if it is among so many beginnings as are looked at."""
    beginnings: list[tuple[tuple[int, ...], Sequence[int]]] = [((), order)]
    for _ in range(LOOKS_MAX):
        if not beginnings:
            return None
        table, left = beginnings.pop()
        if len(table) == size:
            return table
        if _may_fill(size - len(table), left, others):
            after = [number for number in left[1:] if number not in others[left[0]]]
            beginnings += [(table, left[1:]), ((*table, left[0]), after)]
    return None


def _may_fill(places: int, left: Iterable[int], others: Mapping[int, set[int]]) -> bool:
    """Report whether so many of these may all meet, for all that is seen at once.

    They are put into groups in which nobody may meet anybody: a table seats one of each at most.
    """
    groups = list[set[int]]()
    for number in left:
        group = next((apart for apart in groups if number in apart), None)
        if group is not None:
            group &= others[number]
        elif len(groups) + 1 == places:
            return True
        else:
            groups.append(set(others[number]))
    return False


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
