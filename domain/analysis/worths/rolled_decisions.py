"""Decisions by rollouts: moves of a seat played on over the same deals, the best chosen by some and measured by others.

All moves are looked at by some deals, and those that are near the best by more. So most of the time goes where it is
open which move is best, and none by chance seems to be: how far the one that was made is behind the one that is chosen
is measured by deals which chose neither. Source: section 9.2 of the specification.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Final

from msgspec import Struct

from domain import commands
from domain.analysis.figures import divide
from domain.analysis.worths.estimates import Ends, Estimate, Valued, first_best, sum_of
from domain.analysis.worths.rolled import ROLLOUTS_MIN, RolledScene, mean_of, valued
from domain.ids import Seat
from domain.strategy.chance import Words
from domain.strategy.rollouts import Profile

LOOKS: Final = Fraction(3, 5)
"""By such a share of the rollouts of a moment all moves of a decision are looked at."""
NEAR: Final = Fraction(3, 5)
"""Moves that are behind by no more than so much of half their interval then are looked at longer."""
NEAR_MAX: Final = 3
"""At most so many are, the nearest, so that a decision takes no longer than if all had been looked at alike."""
CHOSEN, MEASURED = 2, 3
"""By so many times the rollouts of a moment the best of these is chosen, and what was lost beside it is measured."""
NOTHING: Final = Estimate(Fraction(0), Fraction(0))
"""How far a move is from itself."""


class RolledDecision(Struct, frozen=True, dict=True):
    """A decision, played on.

    The best of several estimates is too good by chance. So the best move is chosen by some deals, and how far the move
    that was made is behind it is measured by others, which no move was chosen by.

    Attributes:
        parts: What each move is worth, by the deals that choose the best; those that were soon left behind by the
            first of these alone.
        played: The index of the move that was made.
        ends: The least and the most that a move may come to.
        mean: What the policy's move is worth on average, by the same deals; None where it thinks of no other than the
            one that was made.
        measured: What the chosen move and the one that was made are worth, in this order, by deals of their own; None
            where the move that was made is chosen.
    """

    parts: tuple[Valued, ...]
    played: int
    ends: Ends
    mean: Valued | None = None
    measured: tuple[Valued, ...] | None = None

    @cached_property
    def chosen(self) -> int:
        """The index of the move that is worth most by the deals that choose, the first of several."""
        return chosen_of(self.parts)

    @cached_property
    def lead(self) -> Estimate:
        """How far the chosen move is before the one that was made, which is below 0 where chance would have it so."""
        return NOTHING if self.measured is None else self._apart(*self.measured)

    def _apart(self, one: Valued, other: Valued) -> Estimate:
        """Return how far one move is before another, by the deals of both."""
        return mean_of(_difference(one, other), _either_way(self.ends))

    @cached_property
    def _behind(self) -> tuple[Estimate, ...]:
        """How far each move is behind the chosen one, by the deals that choose."""
        chosen = self.parts[self.chosen]
        apart = [self._apart(chosen, each) for each in self.parts]
        # What was left behind did not come to be ahead: what was looked at longer did as if it had been, by few deals.
        return tuple([Estimate(max(Fraction(0), each.value), each.half) for each in apart])

    @cached_property
    def worths(self) -> tuple[Estimate, ...]:
        """What each move is worth to the seat; those that were not measured are as far behind as it was chosen by."""
        best, made = (mean_of(each, self.ends) for each in self.measured or [self.parts[self.chosen]] * 2)
        found = [best.less(each) for each in self._behind]
        found[self.chosen], found[self.played] = best, made
        return tuple(found)

    @cached_property
    def best(self) -> int:
        """The index of the move that is worth most, the first of several."""
        return first_best(self.worths)

    @cached_property
    def behind(self) -> tuple[Estimate, ...]:
        """How far each move is behind the best: surer than what they are worth, as they share all chance."""
        ahead = self.best != self.chosen
        extra = Estimate(-self.lead.value, self.lead.half) if ahead else NOTHING
        found = [sum_of([extra, each]) for each in self._behind]
        found[self.chosen] = extra
        if self.measured is not None:
            found[self.played] = NOTHING if ahead else self.lead
        return tuple(found)

    @property
    def loss(self) -> Estimate:
        """What the move that was made lost beside the best; nothing where chance alone may have made it so much.

        The interval of nothing goes as far as any other move may yet be ahead.
        """
        lead = self.lead
        if lead.half is not None and lead.value > lead.half:
            return lead
        ahead = [Estimate(-each.value, each.half) for each in self.behind] if self.measured is None else [lead]
        return Estimate(Fraction(0), max([Fraction(0), *[each.value + (each.half or 0) for each in ahead]]))

    @cached_property
    def skill(self) -> Estimate:
        """What the move was worth more than what the policy plays is on average."""
        return NOTHING if self.mean is None else self._apart(self.parts[self.played], self.mean)


def chosen_of(parts: Sequence[Valued]) -> int:
    """Return the index of what is worth most of what was looked at longest, the first of several."""
    return max(range(len(parts)), key=lambda way: (len(parts[way].values), sum(parts[way].values), -way))


def _difference(one: Valued, other: Valued) -> Valued:
    both = min(len(one.values), len(other.values))
    return Valued(one.values[:both]).less(Valued(other.values[:both]))


def _either_way(ends: Ends) -> Ends:
    return ends[0] - ends[1], ends[1] - ends[0]


def rolled_decision(
    scene: RolledScene, seat: Seat, firsts: Sequence[tuple[commands.Play | None, int]], played: int, total: int
) -> RolledDecision:
    """Return what moves of a seat were worth by what it could know, before it made one of them.

    Args:
        scene: The moment before it.
        seat: Whose dice the record opens.
        firsts: The moves, with how likely the policy makes each; None for waiting.
        played: The index of the one that was made.
        total: How likely the policy makes all moves that it thinks of, of which these may be some.

    Raises:
        Refused: A move is none by the dice.
    """
    own = scene.seen_by(seat)
    assert own is not None
    trial = _Trial(scene, seat, own, [first for first, _ in firsts])
    weights = [weight for _, weight in firsts]
    # What the policy does on average is worked out of what all of its moves come to, or played on beside them.
    rest = sum(weights) < total
    parts = trial.look(rest=rest)
    mean = parts.pop() if rest else None if len(parts) == 1 else _mean_by_deal(parts, weights)
    trial.look_longer(parts)
    chosen = chosen_of(parts)
    measured = None if chosen == played else trial.measure(chosen, played)
    return RolledDecision(tuple(parts), played, scene.between(seat), mean, measured)


class _Trial:
    """The moves of a decision, played on over the same deals."""

    def __init__(self, scene: RolledScene, seat: Seat, own: Profile, moves: Sequence[commands.Play | None]) -> None:
        self._scene, self._seat, self._own, self._moves = scene, seat, own, moves
        self._words = scene.words(f"seat.{seat}")

    def look(self, *, rest: bool) -> list[Valued]:
        """Return what all moves come to by the first deals, with what the policy does behind them."""
        return self._play([*self._moves, None] if rest else self._moves, self._looks, self._words)

    @property
    def _looks(self) -> int:
        return max(ROLLOUTS_MIN, int(self._scene.rollouts * LOOKS))

    def look_longer(self, parts: list[Valued]) -> None:
        """Add more deals to what is near the best, if anything is."""
        best, ends = parts[chosen_of(parts)], _either_way(self._scene.between(self._seat))
        apart = [mean_of(_difference(best, each), ends) for each in parts]
        near = [way for way, each in enumerate(apart) if each.value <= (each.half or 0) * NEAR]
        near = sorted(sorted(near, key=lambda way: (apart[way].value, way))[:NEAR_MAX])
        if len(near) > 1:
            deals = self._scene.rollouts * CHOSEN - self._looks
            more = self._play([self._moves[way] for way in near], deals, self._words)
            for way, row in zip(near, more, strict=True):
                parts[way] = Valued([*parts[way].values, *row.values])

    def measure(self, *ways: int) -> tuple[Valued, ...]:
        """Return what moves come to by deals of their own."""
        words = self._scene.words(f"seat.{self._seat}", "measured")
        return tuple(self._play([self._moves[way] for way in ways], self._scene.rollouts * MEASURED, words))

    def _play(self, firsts: Sequence[commands.Play | None], deals: int, words: Words) -> list[Valued]:
        place = self._scene.state.seats.index(self._seat)
        return [valued(row, place) for row in self._scene.ends(self._own, self._seat, words, firsts, deals)]


def _mean_by_deal(parts: Sequence[Valued], weights: Sequence[int]) -> Valued:
    total = sum(weights)
    rows = zip(*[each.values for each in parts], strict=True)
    sums = [sum([weight * value for weight, value in zip(weights, row, strict=True)]) for row in rows]
    return Valued([divide(each, total) for each in sums])
