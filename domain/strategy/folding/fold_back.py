"""Fold-back: W of a round, what a position is worth to each seat when the dice are these and a policy plays on.

The law of the file: integers, in one order. A position is worth the mean of what follows it, weighted as the policy
weighs the moves of the hand in turn. Shares of the stake are multiples of 2^-31; a mean is a sum of products, cut to 32
bits, times the reciprocal of its total, shifted back with half added, so that nothing is ever above 2^62.
`services.evaluators.batch_evaluator` does the same to many deals at once, to the last bit.

Whoever may doubt, only the seat in turn is foreseen to: so W is defined, whatever people do.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Protocol

from msgspec import Struct

from domain.strategy.folding.positions import Bidding, Node, Row
from domain.strategy.folding.verdicts import SHARE_BITS, AtStake, Contest

LANE_BITS: Final = 64
"""Bits of a seat's share while several are reckoned with as one integer."""
LANE: Final = (1 << LANE_BITS) - 1
CUT: Final = (1 << 32) - 1
"""The largest a cut sum may be, and more than a share: what a lane keeps after a shift."""

Deal = Sequence[int]
"""The hands of all seats, in the order of play, as indices among the hands of their size."""


class Position(Struct, frozen=True):
    """A position of a round.

    Attributes:
        node: The claim to beat, as a node of the bidding; the root where nothing stands.
        claimant: Whose it is, as a place in the order of play; before the opening, the seat before the opener.
        doubters: How many seats have doubted it, where all have to.
    """

    node: int
    claimant: int
    doubters: int = 0


class Questions(Struct, frozen=True):
    """What is asked of deals: worths of positions, and of doubts judged by the dice that lie there.

    Attributes:
        positions: Which positions.
        doubts: Which doubts, each with the node of the claim.
        seats: To which seats, as places in the order of play, ascending.
    """

    positions: tuple[Position, ...]
    doubts: tuple[tuple[int, Contest], ...]
    seats: tuple[int, ...]

    @property
    def nodes(self) -> frozenset[int]:
        """The nodes that are asked about."""
        return frozenset([each.node for each in self.positions])


Shares = list[list[list[int]]]
"""By what was asked (positions, then doubts), by seat, by deal: shares of the stake."""


class Evaluator(Protocol):
    """What folds rounds back: this module in plain Python, or a batch of deals at once."""

    def __call__(self, stakes: AtStake, deals: Sequence[Deal], asked: Questions) -> Shares:
        """Return the shares that are asked for."""


def fold_back(stakes: AtStake, deals: Sequence[Deal], asked: Questions) -> Shares:
    """Return the shares that are asked for, one deal after the other."""
    fold = _Fold(stakes, asked)
    found = [fold.shares(deal) for deal in deals]
    lanes = range(len(asked.seats))
    width = len(asked.positions) + len(asked.doubts)
    return [
        [[packed[place] >> LANE_BITS * lane & LANE for packed in found] for lane in lanes] for place in range(width)
    ]


@lru_cache(maxsize=8_192)
def reciprocals(totals: Row) -> tuple[tuple[int, int], ...]:
    """Return by how many bits the sum of each hand is cut, and what it is multiplied by then."""
    shifts = [total.bit_length() - 1 for total in totals]
    return tuple([(shift, (1 << shift + SHARE_BITS) // total) for shift, total in zip(shifts, totals, strict=True)])


class FoldStep(Struct, frozen=True):
    """What there is to do at a node.

    Attributes:
        node: Which; `place` is its index.
        runs: The runs that no node before it has thought of.
        links: The bids that lead to it and that a later node thinks of.
        tally: The place of the tally of the claim's face.
        quantity: How many it claims; 0 where nothing stands.
        keeps: Whether it is asked about.
    """

    node: Node
    place: int
    runs: tuple[int, ...]
    links: tuple[int, ...]
    tally: int
    quantity: int
    keeps: bool


@lru_cache(maxsize=4)
def steps_of(bidding: Bidding, asked_about: frozenset[int]) -> tuple[FoldStep, ...]:
    """Return what there is to do for some nodes, in order: what may follow a claim comes before it.

    Cost: remembered, since of a moment of a round there are as many questions as there are viewpoints.
    """
    order = bidding.reachable(asked_about)
    fresh = _fresh_runs(bidding, order)
    thought_of = {link for runs in fresh for run in runs for link in bidding.runs[run]}
    leading: dict[int, list[int]] = {}
    for link in sorted(thought_of):
        leading.setdefault(bidding.links[link].node, []).append(link)
    steps = [
        FoldStep(
            bidding.nodes[place],
            place,
            runs,
            tuple(leading.get(place, ())),
            *bidding.claim_at(place),
            keeps=place in asked_about,
        )
        for place, runs in zip(order, fresh, strict=True)
    ]
    return tuple(steps)


def _fresh_runs(bidding: Bidding, order: Sequence[int]) -> list[tuple[int, ...]]:
    """Return, for each of these nodes, the runs that none before it has thought of."""
    known: set[int] = set()
    found = []
    for place in order:
        found.append(tuple([run for run in bidding.nodes[place].runs if run not in known]))
        known.update(bidding.nodes[place].runs)
    return found


class _Fold:
    """All of a fold that hangs on no deal: what is asked, and shares of all seats asked about as one integer.

    Sums of bids are one integer besides, of all who may have made them: a seat's part begins at its place times the
    width of the seats asked about.
    """

    def __init__(self, stakes: AtStake, asked: Questions) -> None:
        self.stakes, self.asked = stakes, asked
        self.bidding = bidding = stakes.bidding
        seats, doubts = range(len(bidding.seats)), range(bidding.doubts)
        self.tests = [self.packed(stakes.test(seat)) for seat in seats]
        spots = doubts if bidding.has_spot_on else ()
        self.spots = [[self.packed(stakes.spot_on(seat, step)) for step in spots] for seat in seats]
        self.doubts = [(*bidding.claim_at(node), doubt.spot_on, self.packed(doubt)) for node, doubt in asked.doubts]
        self.steps = steps_of(bidding, asked.nodes)
        self.scales = [tuple(map(reciprocals, step.node.totals)) for step in self.steps]
        ones = sum([1 << LANE_BITS * lane for lane in range(len(asked.seats))])
        self.mask, self.half = ones * CUT, ones << SHARE_BITS - 1
        width = LANE_BITS * len(asked.seats)
        self.shifts, self.whole = [width * seat for seat in seats], (1 << width) - 1
        # By claimant, what each doubt comes to in the end first: who is in turn then, and where the sum of its bids is.
        turns = [[(step, stakes.in_turn(seat, step)) for step in reversed(doubts)] for seat in seats]
        wheres = [[(step, turn, self.shifts[turn]) for step, turn in each] for each in turns]
        self.turns = list(zip(self.tests, wheres, strict=True))
        self.fresh = [[(run, bidding.runs[run]) for run in step.runs] for step in self.steps]
        self._hands: dict[tuple[int, int], _Hand] = {}

    def hand(self, size: int, hand: int) -> _Hand:
        """Return what all steps ask of a hand; remembered, since it comes up in many deals."""
        found = self._hands.get((size, hand))
        if found is None:
            found = self._hands[size, hand] = _Hand(self, size, hand)
        return found

    def packed(self, doubt: Contest) -> list[int]:
        """Return the shares of each outcome of a doubt."""
        lanes = list(enumerate(self.asked.seats))
        return [sum([row[seat] << LANE_BITS * lane for lane, seat in lanes]) for row in self.stakes.shares(doubt)]

    def shares(self, deal: Deal) -> list[int]:
        """Return what is asked for of one deal."""
        return _Deal(self, deal).shares()


class _Hand:
    """Of one hand, by step: how much it doubts, what divides a sum, and the weights of the bids that lead there."""

    def __init__(self, fold: _Fold, size: int, hand: int) -> None:
        nodes = [step.node for step in fold.steps]
        self.challenge = [node.challenge[size][hand] if node.challenge else 0 for node in nodes]
        self.spot_on = [node.spot_on[size][hand] if node.spot_on else 0 for node in nodes]
        self.scales = [scales[size][hand] for scales in fold.scales]
        self.links = [[fold.bidding.links[link].rows[size][hand] for link in step.links] for step in fold.steps]
        tallies = fold.bidding.tallies
        self.counts = [(tally.counts[size][hand], tally.naturals[size][hand]) for tally in tallies]


class _Deal:
    """The fold of one deal."""

    def __init__(self, fold: _Fold, deal: Deal) -> None:
        self.fold = fold
        self.hands = [fold.hand(size, hand) for size, hand in zip(fold.bidding.size_of, deal, strict=True)]
        each = zip(*[hand.counts for hand in self.hands], strict=True)
        self.counts = [(sum([count for count, _ in some]), any(natural for _, natural in some)) for some in each]
        self.links: dict[int, int] = {}
        self.runs: dict[int, int] = {}
        self.found: dict[tuple[int, int, int], int] = {}

    def shares(self) -> list[int]:
        fold, links, runs, shifts = self.fold, self.links, self.runs, self.fold.shifts
        weights = list(zip(*[hand.links for hand in self.hands], strict=True))
        for number, step in enumerate(fold.steps):
            for run, of_run in fold.fresh[number]:
                runs[run] = sum([links[link] for link in of_run])
            bids = sum([runs[run] for run in step.node.runs])
            if not step.quantity:
                # What the round is worth before its opening, which is the first seat's.
                opening = self.mean(bids & fold.whole, self.hands[0].scales[number])
                self.found[step.place, len(self.hands) - 1, 0] = opening
                continue
            worths = self.claim(number, step, bids)
            # Whoever makes a bid is its claimant.
            thought = zip(*weights[number], strict=True)
            for link, some in zip(step.links, thought, strict=True):
                total = 0
                for weight, worth, shift in zip(some, worths, shifts, strict=True):
                    total += weight * worth << shift
                links[link] = total
        found = [self.found[each.node, each.claimant, each.doubters] for each in fold.asked.positions]
        return found + [shares[self.outcome(tally, count)[exactly]] for tally, count, exactly, shares in fold.doubts]

    def claim(self, number: int, step: FoldStep, bids: int) -> list[int]:
        """Return, by claimant, what a claim is worth that was just made."""
        fold, hands, whole, mask, half = self.fold, self.hands, self.fold.whole, self.fold.mask, self.fold.half
        test, exact = self.outcome(step.tally, step.quantity)
        spots = fold.spots if step.node.spot_on else None
        found = []
        for claimant, (tests, turns) in enumerate(fold.turns):
            worth = tests[test]
            for doubts, turn, shift in turns:
                hand = hands[turn]
                total = (bids >> shift & whole) + hand.challenge[number] * worth
                if spots is not None:
                    total += hand.spot_on[number] * spots[claimant][doubts][exact]
                cut, times = hand.scales[number]
                # The mean, as in `mean`: no position is worked out more often than this one.
                worth = ((total >> cut & mask) * times + half) >> SHARE_BITS & mask
                if step.keeps:
                    self.found[step.place, claimant, doubts] = worth
            found.append(worth)
        return found

    def mean(self, total: int, scale: tuple[int, int]) -> int:
        """Return a weighted sum as a mean."""
        cut, times = scale
        return ((total >> cut & self.fold.mask) * times + self.fold.half) >> SHARE_BITS & self.fold.mask

    def outcome(self, tally: int, quantity: int) -> tuple[int, int]:
        """Return what the dice say to a claim, as the indices of the outcomes of a test and of spot on."""
        width = self.fold.stakes.width
        count, natural = self.counts[tally]
        off = abs(count - quantity)
        holds = width if natural and count >= quantity else 0
        return holds + (off if width > 1 else 0), 0 if off else width
