"""Decisions at a cup whose throws were gone through: what each move was worth, and what was lost by the one made."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

from msgspec import Struct

from domain import commands
from domain.analysis.judges.telling import Grounds, JudgedDecision, judged_decision
from domain.analysis.judges.ways import way_of
from domain.analysis.record.following import Step
from domain.analysis.worths.estimates import Estimate, first_best

CupOption = tuple[commands.Play, int, Estimate]
"""A move, how likely the policy makes it, and what it is worth to its seat."""


class CupDecision(Struct, frozen=True, dict=True):
    """A decision, weighed.

    Attributes:
        weights: How likely the policy makes each move, as integers beside each other.
        worths: What each is worth to the seat.
        played: The index of the move that was made.
    """

    weights: tuple[int, ...]
    worths: tuple[Estimate, ...]
    played: int

    @cached_property
    def best(self) -> int:
        """The index of the move that is worth most, the first of several."""
        return first_best(self.worths)

    @cached_property
    def behind(self) -> tuple[Estimate, ...]:
        """How far each move is behind the best."""
        best = self.worths[self.best].value
        return tuple([self._difference(best - worth.value) for worth in self.worths])

    @property
    def loss(self) -> Estimate:
        """What the move that was made lost beside the best."""
        return self.behind[self.played]

    @cached_property
    def skill(self) -> Estimate:
        """What the move was worth more than what the policy plays is on average."""
        pairs = zip(self.weights, self.worths, strict=True)
        mean = sum([weight * worth.value for weight, worth in pairs], Fraction(0)) * Fraction(1, sum(self.weights))
        return self._difference(self.worths[self.played].value - mean)

    def _difference(self, value: Fraction) -> Estimate:
        known = [worth.proved for worth in self.worths if worth.proved is not None]
        return Estimate(value, None, 2 * max(known) if len(known) == len(self.worths) else None)


def cup_decision(
    step: Step, options: Sequence[CupOption], made: commands.Play, stake: Fraction, known: Grounds
) -> JudgedDecision:
    """Return what is said of a move that was one of these."""
    moves, weights, worths = zip(*options, strict=True)
    ways = [way_of(move, weight) for move, weight, _ in options]
    return judged_decision(step, ways, CupDecision(weights, worths, moves.index(made)), stake, known)
