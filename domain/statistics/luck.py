"""Luck of hands: how far the dice of a seat were above or below their mean, exactly.

What is looked at is the most dice of a hand that count for one face, wild ones included. Its mean and its variance over
all throws of as many dice are fractions. Over hands they are summed, and what is told is the sum of the deviations in
standard deviations of the sum: a root, which is rounded once, at the end. It ranks nobody. In a match a hand counts
where every die of it was shown to all when its round was judged.

Source: the laws of tournaments, duplicate boards, luck.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import comb, isqrt

from msgspec import Struct

from domain import events
from domain.ids import Face, Seat
from domain.match.record import fold
from domain.rules.rules import PIPS, Faces, OwnCups
from domain.table.state import State

DIGITS_TOLD = 100
"""A standard deviation is told in hundredths."""


class Luck(Struct, frozen=True):
    """How a number of hands fell out.

    Attributes:
        hands: How many.
        above: How many dice more than the mean, over all of them; below 0 where fewer.
        variance: The variance of that.
    """

    hands: int = 0
    above: Fraction = Fraction(0)
    variance: Fraction = Fraction(0)

    def __add__(self, other: Luck) -> Luck:
        """Return how both fell out together."""
        return Luck(self.hands + other.hands, self.above + other.above, self.variance + other.variance)

    @property
    def hundredths(self) -> int:
        """The deviation in hundredths of a standard deviation, halves away from 0; 0 where nothing could vary."""
        if not self.variance:
            return 0
        squared = (DIGITS_TOLD * self.above) ** 2 / self.variance
        # The root of a fraction, rounded: the root of four times it is the whole and the half of it.
        size = (isqrt(4 * squared.numerator // squared.denominator) + 1) // 2
        return size if self.above >= 0 else -size


def best_count(hand: Sequence[Face], faces: Faces = PIPS, *, wild: bool) -> int:
    """Return the most dice of a hand that count for one face; the first face, if wild, counts for all."""
    counts = [sum(die == face for die in hand) for face in range(faces.first, faces.first + faces.count)]
    return counts[0] + max(counts[1:]) if wild else max(counts)


def luck_of(hand: Sequence[Face], faces: Faces = PIPS, *, wild: bool) -> Luck:
    """Return how a hand of at least one die fell out."""
    mean, variance = _moments(len(hand), faces.count, wild=wild)
    return Luck(1, best_count(hand, faces, wild=wild) - mean, variance)


@lru_cache(maxsize=256)
def _moments(dice: int, faces: int, *, wild: bool) -> tuple[Fraction, Fraction]:
    """Return mean and variance of the most dice that count for one face, over all throws of so many dice."""
    ways = [_throws(dice, faces, most, wild=wild) for most in range(dice + 1)]
    exactly = [now - before for now, before in zip(ways, [0, *ways], strict=False)]
    total = faces**dice
    mean = Fraction(sum(most * count for most, count in enumerate(exactly)), total)
    return mean, Fraction(sum(most * most * count for most, count in enumerate(exactly)), total) - mean * mean


def _throws(dice: int, faces: int, most: int, *, wild: bool) -> int:
    """Return in how many throws no face has more dice that count for it."""
    if not wild:
        return _spread(dice, faces, most)
    return sum(comb(dice, ones) * _spread(dice - ones, faces - 1, most - ones) for ones in range(most + 1))


@lru_cache(maxsize=4_096)
def _spread(dice: int, faces: int, most: int) -> int:
    """Return in how many throws of dice with these faces none comes up more often."""
    if faces == 0:
        return int(dice == 0)
    return sum(comb(dice, here) * _spread(dice - here, faces - 1, most) for here in range(min(dice, most) + 1))


# ---- of whole matches -----------------------------------------------------------------------------


class LuckRow(Struct, frozen=True):
    """How the dice of an entrant fell out.

    Attributes:
        number: Whose.
        hands: How many hands were shown in full.
        shown: The deviation in standard deviations, with its sign and two digits behind the point.
    """

    number: int
    hands: int
    shown: str


def luck_of_match(lines: Iterable[bytes]) -> dict[Seat, Luck]:
    """Return how the hands of each seat fell out in a match. Cost: a fold of its lines."""
    found: dict[Seat, Luck] = {}
    for written, event in fold(lines):
        state = written.match.table
        if isinstance(event, events.Judged) and state is not None and isinstance(state.rules.tokens, OwnCups):
            for seat, luck in _hands(state):
                found[seat] = found.get(seat, Luck()) + luck
    return found


def _hands(state: State) -> Iterator[tuple[Seat, Luck]]:
    faces = state.rules.tokens.faces
    for seat, place in state.places.items():
        values = [die.value for die in place.dice]
        shown = [value + faces.first for value in values if value is not None]
        if shown and len(shown) == len(values):
            yield seat, luck_of(shown, faces, wild=state.wild)


def luck_rows(matches: Iterable[tuple[Sequence[int], Mapping[Seat, Luck]]]) -> tuple[LuckRow, ...]:
    """Return how the dice of everybody fell out over matches, by number.

    Args:
        matches: For each, the numbers of those who sat there in seat order, and how their hands fell out.
    """
    found: dict[int, Luck] = {}
    for numbers, seats in matches:
        for seat, luck in seats.items():
            number = numbers[seat - 1]
            found[number] = found.get(number, Luck()) + luck
    return tuple(LuckRow(number, luck.hands, shown_luck(luck)) for number, luck in sorted(found.items()))


def shown_luck(luck: Luck) -> str:
    """Return a deviation as people read it, such as `+0.42`."""
    whole, part = divmod(abs(luck.hundredths), 100)
    return f"{'-' if luck.hundredths < 0 else '+'}{whole}.{part:02}"
