"""Thoughts: what level 1 makes of one position hand by hand, for whoever reads what a seat did.

The weights are those of `level_one.thinking.weigh`. Ways to handle dice are told apart by their result, which is what
everybody sees of them, and worked out once for all hands that leave the same faces where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from msgspec import Struct

from domain import commands
from domain.ids import CupId, Seat
from domain.rules.ladders import Hand
from domain.rules.rules import Counting, Rungs
from domain.strategy.level_one.arrangements import Arranger, DiceAfter, Kept
from domain.strategy.level_one.arranging import call_ahead, comes_to_a_call, weights_of_kept
from domain.strategy.level_one.count_handling import CountWeights
from domain.strategy.level_one.counts import Worth
from domain.strategy.level_one.hands import NO_CALLS, CallsThought, Faces, call_weights, shown_of
from domain.strategy.level_one.kept_table import KeptColumn, kept_column
from domain.strategy.level_one.thinking import ROWS, thought_of
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


Said = tuple[tuple[commands.Play, int], ...]
"""Moves with their weights."""


class DeedShare(Struct, frozen=True):
    """How much of all weight a deed has.

    Attributes:
        weight: Of the deed; 0 where it is not thought of.
        total: Of all deeds that are.
        deeds: How many are.
    """

    weight: int
    total: int
    deeds: int


class _Whole(Struct, frozen=True):
    """What a hand thinks of as a whole: what is neither call nor handling, calls, the sum of all weights, how many."""

    said: Said
    calls: CallsThought
    total: int
    deeds: int


class Thoughts:
    """What one seat thinks of in one position, whatever its hidden dice show."""

    def __init__(
        self,
        state: State,
        seat: Seat,
        cup: CupId,
        params: LevelParams,
    ) -> None:
        """Look at a game in which this seat may do something.

        Args:
            state: The game.
            seat: Whose moves it is about.
            cup: Where the dice lie that it knows.
            params: The constants of level 1.
        """
        self._kept: dict[Faces, KeptWays] = {}
        self._known: dict[tuple[Faces, Faces], int] = {}
        self._said: Said | None = None
        self._weights: Callable[[Kept], int] | None = None
        self.state, self.seat, self.cup, self.params = state, seat, cup, params
        self.offers = moves_of(state, seat)
        self.legal = sum([legal_moves(state, move) for move in self.offers])
        handles = any(isinstance(move, ArrangeMove) for move in self.offers)
        self._arranger = Arranger(state, seat) if handles else None
        self._counted = self._count_weights() if isinstance(state.rules.claims, Counting) else None
        self._column = self._column_of(state, seat)
        calls = any(isinstance(move, CallMove) for move in self.offers)
        self._calls = call_weights(state, seat, params) if calls else None
        self._shown = shown_of(state, seat) if calls else ()
        self._hands: dict[Faces, HandThought] = {}
        self._wholes: dict[Faces, _Whole] = {}

    def of(self, hand: Faces) -> HandThought:
        """Return what it thinks of with these hidden dice, ascending. Cost: a worth a move; remembered."""
        found = self._hands.get(hand)
        if found is None:
            found = self._hands[hand] = self._think(hand)
        return found

    def _column_of(self, state: State, seat: Seat) -> KeptColumn | None:
        """Return what weighs ways to handle dice before a call, where one follows."""
        sight = Sight(state, seat)
        if self._arranger is None or not comes_to_a_call(sight):
            return None
        return kept_column(self._arranger, call_ahead(sight, self.params), self.params)

    def _count_weights(self) -> CountWeights | None:
        """Return what makes the weights where claims count; None where something on offer is no matter of counts."""
        place, first = self.state.places[self.cup], self.state.rules.tokens.faces.first
        # What the dice show does not matter here, only how many the seat knows.
        sight = Sight(self.state, self.seat, {self.cup: (first,) * len(place.inside)})
        found = CountWeights(sight, self.offers, self.params)
        return found if found.complete else None

    def share(self, hand: Faces, deed: Deed) -> DeedShare:
        """Return how much of all weight a deed has with these hidden dice, ascending: as `of` tells it.

        Cost: where claims name hands, a small part of telling all deeds apart.
        """
        if isinstance(self.state.rules.claims, Counting):
            thought = self.of(hand)
            return DeedShare(thought.weights.get(deed, 0), thought.total, len(thought.weights))
        found = self._wholes.get(hand)
        if found is None:
            found = self._wholes[hand] = self._whole(hand)
        return DeedShare(self._weight_of(hand, deed, found), found.total, found.deeds)

    def _whole(self, hand: Faces) -> _Whole:
        said = self._said_with(hand) if self._said is None else self._said
        calls = NO_CALLS if self._calls is None else self._calls.of(tuple(sorted(hand + self._shown)))
        weight, ways = self._weight_of_handling(hand)
        total = sum([weight for _, weight in said]) + weight + calls.total
        return _Whole(said, calls, total, len(said) + ways + len(calls.rungs))

    def _said_with(self, hand: Faces) -> Said:
        """Return what is neither a call nor a handling, with its weights."""
        sight, rest = Sight(self.state, self.seat, {self.cup: hand}), [*filter(_is_said, self.offers)]
        said = tuple([each for move in rest for each in self._weighed(thought_of(sight, move, self.params))])
        if all(map(self._is_alike, rest)):
            self._said = said
        return said

    def _weight_of(self, hand: Faces, deed: Deed, whole: _Whole) -> int:
        if isinstance(deed, DiceAfter):
            if self._arranger is None or self._column is None:
                return self.of(hand).weights.get(deed, 0)
            return self._column.weight(self._arranger, hand, deed)
        if isinstance(deed, commands.ClaimHand) and self._calls is not None:
            rung = self._calls.ladder.rungs.get(Hand(deed.shape, deed.faces))
            return 0 if rung is None else whole.calls.weight(rung)
        return next((weight for command, weight in whole.said if command == deed), 0)

    def _weighed(self, worths: Iterable[Worth]) -> Said:
        return tuple([(command, weight_of(worth, self.params)) for command, worth in worths])

    def _is_alike(self, move: Move) -> bool:
        """Report whether an offer is worth the same to every hand: a doubt of dice that lie in another cup."""
        claimant = self.state.round.claimant
        doubts = isinstance(move, ChallengeMove) and move.of == "claim" and isinstance(self.state.rules.claims, Rungs)
        return doubts and self.cup == self.seat and claimant != self.seat

    def _weight_of_handling(self, hand: Faces) -> tuple[int, int]:
        """Return the weight of all ways to handle dice together, and how many they are."""
        if self._arranger is None:
            return 0, 0
        if self._column is not None:
            return self._column.total(self._arranger, hand)
        weigh, kept = self._weigh_kept(Sight(self.state, self.seat, {self.cup: hand})), self._kept_of(hand)
        return sum([weigh(each) * len(each.splits) for each in kept]), sum([len(each.splits) for each in kept])

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

    def _kept_of(self, hand: Faces) -> tuple[Kept, ...]:
        assert self._arranger is not None
        if hand not in self._kept:
            self._kept[hand] = tuple(self._arranger.kept(hand))
        return self._kept[hand]

    def _think(self, hand: Faces) -> HandThought:
        if self._counted is not None:
            weights = self._counted.of(hand)
            return HandThought(weights, sum([*weights.values()]))
        return self._think_of_hands(hand)

    def _think_of_hands(self, hand: Faces) -> HandThought:
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


def _is_said(move: Move) -> bool:
    """Report whether a move is neither a call nor a handling of dice, of which there are many."""
    return not isinstance(move, ArrangeMove | CallMove)


class Likelihoods:
    """How likely a seat that is doubted so much does a thing in one position, by its hidden dice."""

    def __init__(self, thoughts: Thoughts, doubt: Fraction) -> None:
        """Hold what it thinks of, and how much of what it does is taken for whim."""
        self.thoughts = thoughts
        odd = fraction_of(thoughts.params.odd)
        self._sane = 1 - doubt
        self._thought = doubt * (1 - odd)
        self._legal = (doubt * odd / max(1, thoughts.legal) * (1 << SCALE_BITS)).__floor__()

    def of(self, hand: Faces, deed: Deed) -> int:
        """Return how likely a deed is with this hand, times 2^48."""
        share = self.thoughts.share(hand, deed)
        if not share.total:
            return (1 << SCALE_BITS) // max(1, self.thoughts.legal)
        if not share.weight:
            return max(1, self._legal)
        sane, odd = self._sane, self._thought
        meant = (sane.numerator * share.weight << SCALE_BITS) // (sane.denominator * share.total)
        return meant + (odd.numerator << SCALE_BITS) // (odd.denominator * share.deeds) + self._legal
