"""Prospects: what a bid is worth with the answer to it in mind, by the dice its claimant holds.

How likely a bid is to be doubted does not hang on the claimant's own dice, and how likely it is to hold does so only
through how many of them count: so a prospect is made once, and asked for any hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from operator import mul

from domain.ids import Face, Seat
from domain.rules.claims import Auction, count_of
from domain.rules.orders import Count
from domain.strategy.level_two.ahead import Answerer
from domain.strategy.level_two.outlook import Outlook
from domain.strategy.reading.beliefs import HALF, ONE, SCALE_BITS, Spread
from domain.table.state import State, next_seat

Prospect = Callable[[int, bool], Fraction]
"""What a bid is worth, by how many known dice count for its face, and whether one of them is natural."""


class Prospects:
    """What some bids are worth to a seat in one position, whatever its own dice."""

    def __init__(self, outlook: Outlook, some: Sequence[Count]) -> None:
        """Look at what each bid leads to: a turn survived, or stakes where all have to doubt."""
        state = outlook.sight.state
        make = _in_stakes if state.rules.doubt.who == "all" else _survivals
        self._auction = state.auction
        self._made = make(outlook, some)
        self._known: dict[tuple[Count, int, bool], Fraction] = {}

    def worth(self, bid: Count, known: Sequence[Face]) -> Fraction:
        """Return what a bid is worth with these dice known, the open ones and the seat's own."""
        key = (bid, count_of(self._auction, bid.face, known), bid.face in known)
        if key not in self._known:
            self._known[key] = self._made[bid](key[1], key[2])
        return self._known[key]

    def best(self, known: Sequence[Face]) -> Fraction:
        """Return what the best bid is worth with these dice known; there has to be one."""
        return max([self.worth(bid, known) for bid in self._made])


# ---- a turn survived -----------------------------------------------------------------------------


def _survivals(outlook: Outlook, some: Sequence[Count]) -> dict[Count, Prospect]:
    state, seat, auction = outlook.sight.state, outlook.sight.seat, outlook.sight.state.auction
    ahead = Answerer(outlook, next_seat(state, seat))
    faces = sorted({bid.face for bid in some})
    rest = {face: outlook.spread(face, ahead.apart) for face in faces}
    seats = len(state.remaining)
    return {bid: _survival(auction, seats, ahead, bid, rest[bid.face]) for bid in some}


def _survival(auction: Auction, seats: int, ahead: Answerer, bid: Count, rest: Spread) -> Prospect:
    """Return the chance that a bid is not doubted and the turn survived, or that it is doubted and holds.

    Args:
        auction: The bidding before it.
        seats: How many are in.
        ahead: Who answers.
        bid: The bid.
        rest: How many dice are likely to count in the cups of all others.
    """
    # Dice that the bidder knows itself are counted among them already.
    dice = 0 if ahead.apart is None else ahead.hands.dice
    # Whether a bid holds hangs on the answerer's hand through its holding alone, so hands are put together by it.
    both = list(map(mul, ahead.weights, ahead.doubts(bid)))
    by_holding = ahead.hands.sums(auction, bid.face, both) if dice else [sum(both)]
    doubted = [each + HALF >> SCALE_BITS for each in by_holding]
    survived = (ONE - sum(doubted)) * ONE * (seats - 1) // seats

    def worth(known: int, natural: bool) -> Fraction:  # noqa: FBT001  as of a prospect
        found = survived
        for holding, chance in enumerate(doubted):
            has_natural, counts = divmod(holding, dice + 1)
            found += chance * rest.holds(bid.quantity - known - counts, natural=natural or bool(has_natural))
        return Fraction(found, ONE * ONE)

    return worth


# ---- stakes, where all have to doubt --------------------------------------------------------------


def _in_stakes(outlook: Outlook, some: Sequence[Count]) -> dict[Count, Prospect]:
    state, seat = outlook.sight.state, outlook.sight.seat
    others = [Answerer(outlook, other) for other in in_order(state, seat) if other != seat]
    faces = sorted({bid.face for bid in some})
    rest = {face: outlook.spread(face) for face in faces}
    return {bid: _stake(others, bid, rest[bid.face]) for bid in some}


def _stake(others: Sequence[Answerer], bid: Count, rest: Spread) -> Prospect:
    """Return what a bid brings from all others: it comes to that only if every one of them doubts it."""
    doubted = Fraction(all_doubt([other.doubt(bid) for other in others]), ONE)

    def worth(known: int, natural: bool) -> Fraction:  # noqa: FBT001  as of a prospect
        truth = Fraction(rest.holds(bid.quantity - known, natural=natural), ONE)
        return doubted * (2 * truth - 1) * len(others)

    return worth


def in_order(state: State, seat: Seat) -> list[Seat]:
    """Return the seats in the round in the order in which they answer this one, itself last."""
    found: list[Seat] = []
    while not found or found[-1] != seat:
        found.append(next_seat(state, found[-1] if found else seat))
    return found


def all_doubt(chances: Sequence[int]) -> int:
    """Return the chance that all doubt, given that of each, in 2^-48."""
    found = ONE
    for chance in chances:
        found = found * chance + HALF >> SCALE_BITS
    return found
