"""Weighing: the moves a policy thinks of, each with an integer, drawn by whoever plays and read by whoever watches."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Final

from msgspec import Struct

from domain import commands
from domain.strategy.level_params import LEVEL_ONE, LevelParams, fraction_of

WEIGHT_BITS: Final = 20
"""The weight of a move that is worth 1 is 2^20."""
WORD_BITS: Final = 64
"""Bits of the word a move is drawn by."""


Lot = Callable[[int], commands.Play]
"""What makes the command that a mark below the weight of some moves falls on."""


class Option(Struct, frozen=True):
    """A move that is thought of: what is asked for, its worth in [0, 1], and how often it is played beside others."""

    command: commands.Play
    worth: Fraction
    weight: int


class Share(Struct, frozen=True):
    """A move's share of the weight of all, and all it takes to read it.

    Attributes:
        weight: Of the move; 0 where it was not thought of.
        total: Of all moves that were.
        thought: How many were.
        legal: How many moves were legal.
        odd: How much of a seat's doubt goes to every legal move alike, thought of or not.
    """

    weight: int
    total: int
    thought: int
    legal: int
    odd: Fraction

    def likelihood(self, doubt: Fraction) -> Fraction:
        """Return how likely the move is taken to be of a seat that plays as it likes with this chance.

        Where nothing is thought of, every legal move is as likely as any other.
        """
        if not self.total:
            return Fraction(1, self.legal)
        return (1 - doubt) * Fraction(self.weight, self.total) + self.strange(doubt)

    def strange(self, doubt: Fraction) -> Fraction:
        """Return how likely the move is to be made for no reason: the part of it that does not hang on a hand."""
        return _strange(doubt, self.odd, self.thought if self.weight else 0, self.legal)


@lru_cache(maxsize=4_096)
def _strange(doubt: Fraction, odd: Fraction, thought: int, legal: int) -> Fraction:
    alike = (1 - odd) * Fraction(1, thought) if thought else Fraction(0)
    return doubt * (alike + odd * Fraction(1, legal))


class Weighing(Struct, frozen=True, dict=True):
    """What a policy makes of a view.

    Attributes:
        options: The moves thought of, in the order of the house's offers; none where it does nothing.
        legal: How many moves are legal: every claim, and one for every other kind of move.
        odd: How much of a seat's doubt goes to every legal move alike, thought of or not.
    """

    options: tuple[Option, ...]
    legal: int
    odd: Fraction = fraction_of(LEVEL_ONE.odd)

    @cached_property
    def total(self) -> int:
        """The sum of all weights."""
        return sum([option.weight for option in self.options])

    def draw(self, word: int) -> Option:
        """Return the move that a word of 64 bits draws: where the running sum passes `word * total >> 64`.

        Args:
            word: 0 to 2^64 - 1; there has to be an option.
        """
        sums = list(accumulate([option.weight for option in self.options]))
        return self.options[bisect_right(sums, word * self.total >> WORD_BITS)]

    def share(self, command: commands.Play) -> Share:
        """Return how much of all weight a move has, whether it was thought of or not; it was legal."""
        found = next((option.weight for option in self.options if option.command == command), 0)
        return Share(found, self.total, len(self.options), self.legal, self.odd)

    def likelihood(self, command: commands.Play, doubt: Fraction) -> Fraction:
        """Return how likely the move is taken to be of a seat that plays as it likes with this chance."""
        return self.share(command).likelihood(doubt)


def weight_of(worth: Fraction, params: LevelParams) -> int:
    """Return how often a move of this worth is played: 1 to 2^20, the better the more by the power."""
    steps: int = worth.numerator * params.grain // worth.denominator
    cut: int = (steps**params.power << WEIGHT_BITS) // params.grain**params.power
    return max(1, cut)


@lru_cache(maxsize=16)
def weights_by_step(params: LevelParams) -> tuple[int, ...]:
    """Return the weight of every worth that is told apart: of 0, one step, and so on to 1."""
    return tuple([weight_of(Fraction(step, params.grain), params) for step in range(params.grain + 1)])
