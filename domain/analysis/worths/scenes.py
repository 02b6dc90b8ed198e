"""Scenes: moments of a round that folds, with the deals there may be for whoever knows some dice.

Deals are enumerated with their chances where there are few, and drawn where there are many.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Final

from msgspec import Struct

from domain.ids import Face, Seat, Version
from domain.strategy.chance import Lot, drawn_together, words_for
from domain.strategy.folding.fold_back import Deal, Evaluator, Position, fold_back
from domain.strategy.folding.positions import Bidding, Claims
from domain.strategy.folding.verdicts import AtStake
from domain.strategy.reading.beliefs import ONE, Belief
from domain.table.state import State

ENUMERATED_MAX: Final = 4_096
"""Deals up to which all are weighed, and none is drawn."""
Dice = Mapping[Seat, Sequence[Face]]
"""The faces of seats' hidden dice, of seats that are known."""
ALONE: Final = Lot((1,))
"""Of one there is, that is drawn."""


class Sampling(Struct, frozen=True):
    """How deals are drawn.

    Attributes:
        head: The hash of the record's last line.
        policy: The id of the policy that everybody is read by.
        samples: How many deals are drawn for a viewpoint.
        most: How many are enumerated instead.
    """

    head: str
    policy: str
    samples: int = 512
    most: int = ENUMERATED_MAX


class Scene(Struct, frozen=True):
    """A moment of a round that folds.

    Attributes:
        stakes: What verdicts of the round are worth.
        state: The game, as everybody may know it.
        beliefs: What is believed of the hidden dice of each seat.
        version: The last event that has been read.
        sampling: How deals are drawn.
        evaluate: What folds deals back.
        claims: The claims of the round so far, where the policy remembers them.
    """

    stakes: AtStake
    state: State
    beliefs: Mapping[Seat, Belief]
    version: Version
    sampling: Sampling
    evaluate: Evaluator = fold_back
    claims: Claims = ()

    @property
    def bidding(self) -> Bidding:
        """The bidding of the round."""
        return self.stakes.bidding

    @property
    def position(self) -> Position:
        """Where the round stands."""
        now, seats = self.state.round, self.bidding.seats
        claimant = len(seats) - 1 if now.claimant is None else seats.index(now.claimant)
        return Position(self.bidding.node_of(self.state, self.claims), claimant, len(now.doubters))

    def deals(self, known: Dice, viewpoint: str) -> Deals:
        """Return the deals there may be for who knows some dice, with their chances, or as many as are to be drawn."""
        seats = self.bidding.seats
        held = {seat: self.bidding.hand_of(place, known[seat]) for place, seat in enumerate(seats) if seat in known}
        others = [seat for seat in seats if seat not in held]
        # A chance of none is no hand.
        possible = [len(each) - each.count(0) for each in map(self.chances, others)]
        # What the reader has drawn is no more certain for being gone through.
        some = any(len(self.beliefs[seat].hands) < len(self.chances(seat)) for seat in others)
        if some or prod(possible) > self.sampling.most:
            return self._drawn(held, viewpoint)
        every = list(product(*[self._hands(seat, held) for seat in seats]))
        weights = [prod([chance for _, chance in each]) for each in every]
        return Deals([[hand for hand, _ in each] for each in every], weights)

    def chances(self, seat: Seat) -> tuple[int, ...]:
        """Return how likely each of all hands of a seat is, in the order of its bidding."""
        return self._belief(seat).chances

    def _belief(self, seat: Seat) -> Belief:
        bidding = self.bidding
        return self.beliefs[seat].of_all(bidding.sizes[bidding.size_of[bidding.seats.index(seat)]])

    def _hands(self, seat: Seat, held: Mapping[Seat, int]) -> list[tuple[int, int]]:
        """Return the hands a seat may have, as indices, with their chances; the one it has where that is known."""
        if seat in held:
            return [(held[seat], ONE)]
        return [(hand, chance) for hand, chance in enumerate(self.chances(seat)) if chance]

    def _drawn(self, held: Mapping[Seat, int], viewpoint: str) -> Deals:
        sampling, seats = self.sampling, self.bidding.seats
        words = words_for(sampling.head, sampling.policy, self.version, viewpoint, "deals")
        # Of a seat whose hand is known one is drawn as well, of one.
        lots = [ALONE if seat in held else self._belief(seat).lot for seat in seats]
        drawn = drawn_together(lots, words, sampling.samples)
        columns = [
            [held[seat]] * sampling.samples if seat in held else some for seat, some in zip(seats, drawn, strict=True)
        ]
        return Deals(list(zip(*columns, strict=True)))


class Deals(Struct, frozen=True):
    """Deals, and how likely each is where they are all there are."""

    deals: Sequence[Deal]
    weights: Sequence[int] | None = None
