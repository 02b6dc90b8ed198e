"""Berger tables: round robins of two, in which everybody meets everybody once, or twice with seats exchanged.

Source:
    FIDE Handbook C.05, annex 1: the details of Berger tables.
"""

from __future__ import annotations

BYE = 0
"""Whoever is paired with it rests, where the number of entrants is odd."""


def berger(entrants: int, cycles: int = 1) -> list[list[tuple[int, int]]]:
    """Return the rounds of a round robin as pairs of pairing numbers, the first of a pair opens.

    Args:
        entrants: At least 2. An odd number is made even by a bye, who has the last pairing number.
        cycles: 1, or 2: then the last two rounds of the first cycle are exchanged, so that nobody opens three times in
            a row, and the second cycle is the first in the order it had, with seats exchanged.
    """
    rounds = [_round(entrants + entrants % 2, number) for number in range(1, entrants + entrants % 2)]
    if entrants % 2:
        rounds = [[(_or_bye(a, entrants), _or_bye(b, entrants)) for a, b in pairs] for pairs in rounds]
    if cycles == 1:
        return rounds
    back = [[(b, a) for a, b in pairs] for pairs in rounds]
    return [*rounds[:-2], *reversed(rounds[-2:]), *back]


def _round(even: int, number: int) -> list[tuple[int, int]]:
    """Return the pairs of a round, from 1, of so many entrants that nobody rests."""
    if number % 2:
        axis = (number + 1) // 2
        pairs = [(axis, even)]
    else:
        axis = (even + number) // 2
        pairs = [(even, axis)]
    circle = even - 1
    return pairs + [((axis + j - 1) % circle + 1, (axis - j - 1) % circle + 1) for j in range(1, even // 2)]


def _or_bye(number: int, entrants: int) -> int:
    """Return the pairing number, or the bye that stands in the place of the one that nobody has."""
    return BYE if number > entrants else number
