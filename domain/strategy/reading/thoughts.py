"""Thoughts: what level 1 makes of one position hand by hand, for whoever reads what a seat did.

The weights are those of `level_one.thinking.weigh`. Ways to handle dice are told apart by their result, which is what
everybody sees of them, and worked out once for all hands that leave the same faces where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from msgspec import Struct

from domain import commands
from domain.ids import CupId, Face, Seat
from domain.rules.rules import Counting, Rungs
from domain.strategy.level_one.arrangements import Arranger, DiceAfter, Kept
from domain.strategy.level_one.arranging import weights_of_kept
from domain.strategy.level_one.count_handling import CountWeights
from domain.strategy.level_one.counts import Worth
from domain.strategy.level_one.hands import Faces, lots
from domain.strategy.level_one.thinking import ROWS
from domain.strategy.level_params import LevelParams, fraction_of
from domain.strategy.reading.beliefs import SCALE_BITS
from domain.strategy.sight import Sight
from domain.strategy.weighing import weight_of
from domain.table.moves import legal_moves, moves_of
from domain.table.offers import ArrangeMove, CallMove, ChallengeMove, Move
from domain.table.state import State

Deed = commands.Play | DiceAfter
"""What a seat did: what it asked for, or what came of its dice."""


KeptWays = tuple[Kept, ...]
"""All that may be kept of a hand."""


class HandThought(Struct, frozen=True):
    """What a hand thinks of: the weight of each move, their sum, and how many there are."""

    weights: Mapping[Deed, int]
    total: int


class Thoughts:
    """What one seat thinks of in one position, whatever its hidden dice show."""

    def __init__(
        self,
        state: State,
        seat: Seat,
        cup: CupId,
        params: LevelParams,
        kept: dict[tuple[Face, ...], KeptWays] | None = None,
    ) -> None:
        """Look at a game in which this seat may do something.

        Args:
            state: The game.
            seat: Whose moves it is about.
            cup: Where the dice lie that it knows.
            params: The constants of level 1.
            kept: What may be kept of hands, where positions are gone through that differ in the standing claim alone.
        """
        self._kept = {} if kept is None else kept
        self._known: dict[tuple[Faces, Faces], int] = {}
        self._alike: dict[Move, tuple[tuple[commands.Play, int], ...]] = {}
        self._weights: Callable[[Kept], int] | None = None
        self.state, self.seat, self.cup, self.params = state, seat, cup, params
        self.offers = moves_of(state, seat)
        self.legal = sum([legal_moves(state, move) for move in self.offers])
        handles = any(isinstance(move, ArrangeMove) for move in self.offers)
        self._arranger = Arranger(state, seat) if handles else None
        self._counted = self._count_weights() if isinstance(state.rules.claims, Counting) else None
        self._hands: dict[tuple[Face, ...], HandThought] = {}

    def of(self, hand: tuple[Face, ...]) -> HandThought:
        """Return what it thinks of with these hidden dice, ascending. Cost: a worth a move; remembered."""
        found = self._hands.get(hand)
        if found is None:
            found = self._hands[hand] = self._think(hand)
        return found

    def _count_weights(self) -> CountWeights | None:
        """Return what makes the weights where claims count; None where something on offer is no matter of counts."""
        place, first = self.state.places[self.cup], self.state.rules.tokens.faces.first
        # What the dice show does not matter here, only how many the seat knows.
        sight = Sight(self.state, self.seat, {self.cup: (first,) * len(place.inside)})
        found = CountWeights(sight, self.offers, self.params)
        return found if found.complete else None

    def share(self, hand: tuple[Face, ...], command: commands.Play) -> tuple[int, int]:
        """Return the weight of a move to a hand, and that of all: as of `of`, without telling the others apart."""
        sight, found, total = Sight(self.state, self.seat, {self.cup: hand}), 0, 0
        for move in self.offers:
            if isinstance(move, CallMove) and not isinstance(command, commands.ClaimHand):
                total += sum([weight for weight, _ in lots(sight, move, self.params)])
                continue
            for each, weight in self._weights_of(sight, move):
                total += weight
                found = weight if each == command else found
        if self._arranger is not None:
            total += self._weight_of_handling(sight, hand)
        return found, total

    def _weights_of(self, sight: Sight, move: Move) -> Iterable[tuple[commands.Play, int]]:
        """Return the moves of an offer with their weights; how dice are handled is told apart elsewhere."""
        row = None if isinstance(move, ArrangeMove) else ROWS.get(type(move))
        if row is None:
            return ()
        if self._is_alike(move):
            if move not in self._alike:
                self._alike[move] = self._weighed(row(sight, move, self.params))
            return self._alike[move]
        return self._weighed(row(sight, move, self.params))

    def _weighed(self, worths: Iterable[Worth]) -> tuple[tuple[commands.Play, int], ...]:
        return tuple([(command, weight_of(worth, self.params)) for command, worth in worths])

    def _is_alike(self, move: Move) -> bool:
        """Report whether an offer is worth the same to every hand: a doubt of dice that lie in another cup."""
        claimant = self.state.round.claimant
        doubts = isinstance(move, ChallengeMove) and move.of == "claim" and isinstance(self.state.rules.claims, Rungs)
        return doubts and self.cup == self.seat and claimant != self.seat

    def _weight_of_handling(self, sight: Sight, hand: tuple[Face, ...]) -> int:
        """Return the weight of all ways to handle dice together."""
        weigh, known, total = self._weigh_kept(sight), self._known, 0
        for kept in self._kept_of(hand):
            found = known.get((kept.inside, kept.outside))
            total += (weigh(kept) if found is None else found) * len(kept.splits)
        return total

    def _weigh_kept(self, sight: Sight) -> Callable[[Kept], int]:
        """Return what weighs ways to handle dice, each once for all hands that come to the same."""
        if self.cup != self.seat and self.state.rules.handling.last_forces:
            # A verdict that is forced is about these very dice.
            return weights_of_kept(sight, self.params)
        if self._weights is None:
            self._weights = weights_of_kept(sight, self.params)
        weigh, known = self._weights, self._known

        def remembered(kept: Kept) -> int:
            key = (kept.inside, kept.outside)
            if key not in known:
                known[key] = weigh(kept)
            return known[key]

        return remembered

    def _kept_of(self, hand: tuple[Face, ...]) -> tuple[Kept, ...]:
        assert self._arranger is not None
        if hand not in self._kept:
            self._kept[hand] = tuple(self._arranger.kept(hand))
        return self._kept[hand]

    def _think(self, hand: tuple[Face, ...]) -> HandThought:
        if self._counted is not None:
            weights = self._counted.of(hand)
            return HandThought(weights, sum([*weights.values()]))
        return self._think_of_hands(hand)

    def _think_of_hands(self, hand: tuple[Face, ...]) -> HandThought:
        sight = Sight(self.state, self.seat, {self.cup: hand})
        weights: dict[Deed, int] = {}
        for move in self.offers:
            row = None if isinstance(move, ArrangeMove) else ROWS.get(type(move))
            for command, worth in () if row is None else row(sight, move, self.params):
                weights[command] = weight_of(worth, self.params)
        if self._arranger is not None:
            weight = self._weigh_kept(sight)
            for kept in self._kept_of(hand):
                each = weight(kept)
                weights.update([(kept.result(split), each) for split in kept.splits])
        return HandThought(weights, sum([*weights.values()]))


class Likelihoods:
    """How likely a seat that is doubted so much does a thing in one position, by its hidden dice."""

    def __init__(self, thoughts: Thoughts, doubt: Fraction) -> None:
        """Hold what it thinks of, and how much of what it does is taken for whim."""
        self.thoughts = thoughts
        odd = fraction_of(thoughts.params.odd)
        self._sane = 1 - doubt
        self._thought = doubt * (1 - odd)
        self._legal = (doubt * odd / max(1, thoughts.legal) * (1 << SCALE_BITS)).__floor__()

    def of(self, hand: tuple[Face, ...], deed: Deed) -> int:
        """Return how likely a deed is with this hand, times 2^48."""
        thought = self.thoughts.of(hand)
        weight = thought.weights.get(deed, 0)
        if not thought.total:
            return (1 << SCALE_BITS) // max(1, self.thoughts.legal)
        if not weight:
            return max(1, self._legal)
        sane, odd = self._sane, self._thought
        meant = (sane.numerator * weight << SCALE_BITS) // (sane.denominator * thought.total)
        return meant + (odd.numerator << SCALE_BITS) // (odd.denominator * len(thought.weights)) + self._legal
