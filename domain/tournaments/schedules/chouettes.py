"""A chouette: one table for all, at which the winner stays; its places are by wins, then by who would play next."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from domain.rules.schedules import Chouette, chouette_after


def after_bout(now: Chouette[int], seats: tuple[int, int], stays: int | None) -> Chouette[int]:
    """Return the chouette after a bout.

    Args:
        now: Who was to sit, and who waited; those who were passed over keep their place before the others.
        seats: Who sat.
        stays: Who of them stays; nobody, if neither came.
    """
    rest = tuple(each for each in (*now.seats, *now.queue) if each not in seats)
    if stays is not None:
        return chouette_after(Chouette(seats, rest), stays)
    first, second, *queue = (*rest, *seats)
    return Chouette((first, second), tuple(queue))


def line_of(now: Chouette[int], stays: int | None) -> tuple[int, ...]:
    """Return everybody in the order in which they would play: who stays, who comes next, then who waits."""
    first, second = now.seats
    return (*((second, first) if second == stays else (first, second)), *now.queue)


def next_bout(now: Chouette[int], stays: int | None, there: Collection[int]) -> tuple[int, int] | None:
    """Return who sits down next, the first to open, of those who are there; None where they are fewer than two.

    Who stays keeps the seat; whoever is not there is passed over.
    """
    line = [each for each in line_of(now, stays) if each in there]
    if len(line) < len(now.seats):
        return None
    one, other = line[:2]
    return (other, one) if one == stays == now.seats[1] else (one, other)


def chouette_places(wins: Mapping[int, int], line: Sequence[int]) -> list[int]:
    """Return the places, the best first.

    Args:
        wins: How many bouts each has won; who is missing won none.
        line: Everybody in the order in which they would play after the last bout.
    """
    return sorted(line, key=lambda number: -wins.get(number, 0))
