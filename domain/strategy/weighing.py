"""Weighing: the moves a policy thinks of, each with an integer, drawn by whoever plays and read by whoever watches."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Final

from msgspec import Struct

from domain import commands
from domain.strategy.level_params import LEVEL_ONE, LevelParams, fraction_of

WEIGHT_BITS: Final = 20
"""The weight of a move that is worth 1 is 2^20."""
WORD_BITS: Final = 64
"""Bits of the word a move is drawn by."""


class Option(Struct, frozen=True):
    """A move that is thought of: what is asked for, its worth in [0, 1], and how often it is played beside others."""

    command: commands.Play
    worth: Fraction
    weight: int


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
        mark = word * self.total >> WORD_BITS
        for option in self.options:
            mark -= option.weight
            if mark < 0:
                return option
        raise AssertionError("the mark lies below the total")

    def likelihood(self, command: commands.Play, doubt: Fraction) -> Fraction:
        """Return how likely the move is taken to be of a seat that is doubted so much.

        Args:
            command: What the seat did, whether it was thought of or not; it was legal.
            doubt: The chance that it plays as it likes.
        """
        found = next((option.weight for option in self.options if option.command == command), 0)
        return likelihood(found, self.total, len(self.options), self.legal, doubt, self.odd)


def likelihood(weight: int, total: int, thought: int, legal: int, doubt: Fraction, odd: Fraction) -> Fraction:
    """Return how likely a move of this weight is among all.

    Args:
        weight: Of the move; 0 where it was not thought of.
        total: Of all moves that are thought of; 0 where nothing is, which makes every legal move alike.
        thought: How many are thought of.
        legal: How many are legal.
        doubt: How much the seat is doubted.
        odd: How much of the doubt goes to every legal move alike.
    """
    strange = odd * Fraction(1, legal)
    if not total:
        return Fraction(1, legal)
    if weight:
        strange += (1 - odd) * Fraction(1, thought)
    return (1 - doubt) * Fraction(weight, total) + doubt * strange


def weight_of(worth: Fraction, params: LevelParams) -> int:
    """Return how often a move of this worth is played: 1 to 2^20, the better the more by the power."""
    steps: int = worth.numerator * params.grain // worth.denominator
    cut: int = (steps**params.power << WEIGHT_BITS) // params.grain**params.power
    return max(1, cut)
