"""Equity: what a moment of a round is worth by every viewpoint, and what each move is by what its seat could know.

All moves of a decision are weighed over the same deals, so that what they differ by is surer than what each of them is
worth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property

from msgspec import Struct

from domain.analysis.figures import Figure
from domain.analysis.worths.estimates import Estimate, Valued, even_out, first_best
from domain.analysis.worths.scenes import Deals, Dice, Scene
from domain.ids import Face, Seat
from domain.rules.orders import Count
from domain.strategy.folding.fold_back import Position, Questions
from domain.strategy.folding.positions import Bidding
from domain.strategy.folding.verdicts import WHOLE, AtStake, Contest, Outcome
from domain.strategy.level_one.count_table import Answer
from domain.strategy.reading.beliefs import ONE

PerPlace = tuple[Estimate, ...]
"""One for each seat, in the order of play."""


# ---- viewpoints ---------------------------------------------------------------------------------


class Equity(Struct, frozen=True):
    """What a moment is worth to each seat of the round.

    Attributes:
        public: By what everybody knows.
        seat: By what the seat itself knows; seats whose dice are not known are not in it.
        all: By all dice; None where some are not known.
    """

    public: dict[Seat, Figure]
    seat: dict[Seat, Figure]
    all: dict[Seat, Figure] | None


class MomentWorth(Struct, frozen=True):
    """What a moment is worth to each seat of the round, as estimates; otherwise as `Equity`."""

    public: dict[Seat, Estimate]
    seat: dict[Seat, Estimate]
    all: dict[Seat, Estimate] | None


def moment_worth(scene: Scene, dice: Dice) -> MomentWorth:
    """Return what a moment is worth by every viewpoint, given the hidden dice that the record has opened."""
    seats = scene.bidding.seats
    told = all(seat in dice for seat in seats)
    return MomentWorth(
        public_worths(scene),
        {seat: seat_worth(scene, seat, dice[seat]) for seat in seats if seat in dice},
        all_worths(scene, dice) if told else None,
    )


def printed(moment: MomentWorth, whole: Fraction | None) -> Equity:
    """Return the figures of what a moment is worth.

    Args:
        moment: What it is worth.
        whole: What every verdict shares out, if that is always as much.
    """
    return Equity(
        _summed(moment.public, whole),
        {seat: worth.figure for seat, worth in moment.seat.items()},
        None if moment.all is None else _summed(moment.all, whole),
    )


def told_public(scene: Scene) -> dict[Seat, Figure]:
    """Return the figures of what a moment is worth to each seat by what everybody knows."""
    return _summed(public_worths(scene), scene.stakes.whole)


def public_worths(scene: Scene) -> dict[Seat, Estimate]:
    """Return what a moment is worth to each seat by what everybody knows."""
    return _worths(scene, scene.deals({}, "public"))


def all_worths(scene: Scene, dice: Dice) -> dict[Seat, Estimate]:
    """Return what a moment is worth to each seat by all dice."""
    return _worths(scene, scene.deals(dice, "all"))


def seat_worth(scene: Scene, seat: Seat, own: Sequence[Face]) -> Estimate:
    """Return what a moment is worth to a seat by what it knows."""
    place = scene.bidding.seats.index(seat)
    found = values(scene, scene.deals({seat: own}, f"seat.{seat}"), Questions((scene.position,), (), (place,)))
    return worth_of(scene.stakes, found[0][0])


def _worths(scene: Scene, deals: Deals) -> dict[Seat, Estimate]:
    seats = scene.bidding.seats
    found = values(scene, deals, Questions((scene.position,), (), tuple(range(len(seats)))))
    return {seat: worth_of(scene.stakes, valued) for seat, valued in zip(seats, found[0], strict=True)}


def _summed(worths: Mapping[Seat, Estimate], whole: Fraction | None) -> dict[Seat, Figure]:
    """Return the figures by seat; they sum to what every verdict shares out, where that is always as much."""
    if whole is None:
        return {seat: each.figure for seat, each in worths.items()}
    even = even_out([each.value for each in worths.values()], whole)
    return {seat: each.printed(ppm) for (seat, each), ppm in zip(worths.items(), even, strict=True)}


def values(scene: Scene, deals: Deals, asked: Questions) -> list[list[Valued]]:
    """Return by what is asked (positions, then doubts) and by seat what each deal is worth, in shares of the stake."""
    shares = scene.evaluate(scene.stakes, deals.deals, asked)
    return [[Valued(some, deals.weights) for some in by_seat] for by_seat in shares]


def worth_of(stakes: AtStake, valued: Valued) -> Estimate:
    """Return the mean of shares as a worth."""
    mean = valued.mean()
    half = None if mean.half is None else stakes.range * mean.half * Fraction(1, WHOLE)
    return Estimate(stakes.worth(mean.value), half)


# ---- decisions ----------------------------------------------------------------------------------


class WeighedMove(Struct, frozen=True):
    """A move that could be made, and how likely the policy makes it: an integer beside others."""

    answer: Answer | None
    weight: int


class DecisionWorth(Struct, frozen=True, dict=True):
    """A decision, weighed.

    Attributes:
        stakes: What verdicts of the round are worth.
        ways: The moves the policy thinks of, and the one that was made, in the order of the house's offers; None stands
            for waiting, where the seat was not in turn.
        shares: For each, what it is worth by deal.
        played: The index of the move that was made.
    """

    stakes: AtStake
    ways: tuple[WeighedMove, ...]
    shares: tuple[Valued, ...]
    played: int

    @cached_property
    def worths(self) -> PerPlace:
        """What each move is worth to the seat."""
        return tuple([worth_of(self.stakes, valued) for valued in self.shares])

    @cached_property
    def best(self) -> int:
        """The index of the move that is worth most, the first of several."""
        return first_best(self.worths)

    @cached_property
    def behind(self) -> PerPlace:
        """How far each move is behind the best."""
        best = self.shares[self.best]
        return tuple([worth_of_difference(self.stakes, best.less(each)) for each in self.shares])

    @property
    def loss(self) -> Estimate:
        """What the move that was made lost beside the best."""
        return self.behind[self.played]

    @cached_property
    def skill(self) -> Estimate:
        """What the move was worth more than what the policy plays is on average."""
        total = sum([way.weight for way in self.ways])
        pairs = zip(self.ways, self.worths, strict=True)
        mean = sum([way.weight * worth.value for way, worth in pairs], Fraction(0)) * Fraction(1, total)
        return Estimate(self.worths[self.played].value - mean, self.worths[self.played].half)


def worth_of_difference(stakes: AtStake, valued: Valued) -> Estimate:
    """Return the mean of differences of shares as a difference of worths."""
    return valued.mean().times(stakes.range * Fraction(1, WHOLE))


def decide(scene: Scene, seat: Seat, own: Sequence[Face], played: Answer) -> DecisionWorth:
    """Return what the moves of a seat were worth by what it could know, before it made one of them."""
    place = scene.bidding.seats.index(seat)
    ways = ways_of(scene, place, own, played)
    positions: list[Position] = []
    doubts: list[tuple[int, Contest]] = []
    order = []
    for way in ways:
        then = _then(scene, place, way.answer)
        order.append((isinstance(then, Contest), len(doubts) if isinstance(then, Contest) else len(positions)))
        if isinstance(then, Contest):
            doubts.append((scene.position.node, then))
        else:
            positions.append(then)
    asked = Questions(tuple(positions), tuple(doubts), (place,))
    found = values(scene, scene.deals({seat: own}, f"seat.{seat}"), asked)
    shares = [found[index + len(positions) if judged else index][0] for judged, index in order]
    return DecisionWorth(scene.stakes, ways, tuple(shares), [way.answer for way in ways].index(played))


def ways_of(scene: Scene, place: int, own: Sequence[Face], played: Answer) -> tuple[WeighedMove, ...]:
    """Return the moves a seat thinks of with this hand and the one it made, in the order of the house's offers."""
    bidding, position = scene.bidding, scene.position
    node = bidding.nodes[position.node]
    if place != scene.stakes.in_turn(position.claimant, position.doubters):
        # Nobody is foreseen to doubt out of turn.
        return (WeighedMove("challenge", 0), WeighedMove(None, 1))
    size, hand = bidding.size_of[place], bidding.hand_of(place, own)
    bids: dict[Count | None, int] = {}
    for link in bidding.links_of(position.node):
        bids[bidding.nodes[link.node].claim] = link.rows[size][hand]
    if isinstance(played, Count):
        bids.setdefault(played, 0)
    ways = [WeighedMove(bid, bids[bid]) for bid in sorted(bid for bid in bids if bid is not None)]
    ways += [WeighedMove("challenge", node.challenge[size][hand])] if node.challenge else []
    ways += [WeighedMove("spot_on", node.spot_on[size][hand])] if node.spot_on else []
    return tuple(ways)


def _then(scene: Scene, place: int, answer: Answer | None) -> Position | Contest:
    """Return what a move leads to: a position, or dice that are judged."""
    bidding, stakes, now = scene.bidding, scene.stakes, scene.position
    if answer is None:
        return now
    if isinstance(answer, Count):
        return Position(bidding.after(now.node, answer), place)
    if answer == "spot_on":
        return Contest(now.claimant, (place,), spot_on=True)
    if bidding.doubts == 1:
        return Contest(now.claimant, (place,))
    if now.doubters + 1 == bidding.doubts:
        return stakes.test(now.claimant)
    return Position(now.node, now.claimant, now.doubters + 1)


def stake_of(stakes: AtStake, seat: Seat) -> Fraction:
    """Return what a seat can win or lose in a round: its best verdict less its worst."""
    place = stakes.bidding.seats.index(seat)
    doubts = stakes.doubts_of(range(len(stakes.bidding.seats)))
    found = [stakes.verdicts.worths(doubt, each)[place] for doubt in doubts for each in stakes.outcomes]
    return max(found) - min(found)


def surprise_of(scene: Scene, seat: Seat, played: Answer) -> Fraction:
    """Return how likely the public took a move to be, by the policy alone: the mean over what the seat may hold."""
    bidding, place = scene.bidding, scene.bidding.seats.index(seat)
    node, size = bidding.nodes[scene.position.node], bidding.size_of[place]
    row = _row_of(bidding, scene.position.node, size, played)
    if row is None or place != scene.stakes.in_turn(scene.position.claimant, scene.position.doubters):
        return Fraction(0)
    columns = zip(scene.chances(seat), row, node.totals[size], strict=True)
    return Fraction(sum([chance * (ONE * weight // total) for chance, weight, total in columns]), ONE * ONE)


def _row_of(bidding: Bidding, place: int, size: int, played: Answer) -> tuple[int, ...] | None:
    node = bidding.nodes[place]
    if not isinstance(played, Count):
        rows = node.challenge if played == "challenge" else node.spot_on
        return rows[size] if rows else None
    links = [link for link in bidding.links_of(place) if bidding.nodes[link.node].claim == played]
    return links[0].rows[size] if links else None


def challenge_by_odds(scene: Scene, seat: Seat, chance: Fraction) -> Fraction:
    """Return what a challenge is worth to a seat by odds alone, given its chance of the standing claim.

    Where all have to doubt, it is reckoned as if they all did.
    """
    stakes, now = scene.stakes, scene.position
    place = scene.bidding.seats.index(seat)
    doubt = stakes.test(now.claimant) if scene.bidding.doubts > 1 else Contest(now.claimant, (place,))
    holds, falls = [stakes.verdicts.worths(doubt, Outcome(each))[place] for each in (True, False)]
    return chance * holds + (1 - chance) * falls
