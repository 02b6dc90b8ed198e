"""Looking ahead: a seat that will have to answer a bid, the hands it may hold, and how likely each is to doubt."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from itertools import accumulate

from msgspec.structs import replace

from domain import commands, events
from domain.ids import Seat
from domain.rules.claims import can_be_raised
from domain.rules.orders import Count
from domain.strategy.hands import Hand, Hands, all_hands
from domain.strategy.level_one.count_table import CountPosition, table_of
from domain.strategy.level_one.counts import position_of
from domain.strategy.level_one.thinking import weigh
from domain.strategy.level_two.outlook import HANDS_MAX, Outlook
from domain.strategy.reading.beliefs import HALF, ONE, SCALE_BITS, Belief
from domain.strategy.sight import Sight
from domain.table.evolve import evolve
from domain.table.state import State, is_wild


class Answerer:
    """A seat that answers, and the hands it is gone through with.

    Attributes:
        seat: Which.
        hands: All it may hold, or as many as were drawn from what is believed, each once.
        weights: How likely each of them is, in 2^-48; their sum is 1.
    """

    def __init__(self, outlook: Outlook, seat: Seat) -> None:
        """Go by what is believed of the seat; one that has not looked at its dice answers without."""
        self.seat = seat
        self._outlook = outlook
        self.hands, self.weights = _hands_of(outlook, seat)
        self._positions: dict[tuple[bool, bool], CountPosition] = {}

    def doubts(self, bid: Count) -> list[int]:
        """Return how likely each hand is to doubt this bid of the thinking seat, in 2^-48."""
        table = table_of(self._position_after(bid), self._outlook.beliefs.params)
        if not table.complete:
            return [self._weighed(self._state_after(bid), hand) for hand in self.hands.hands]
        totals, weights = table.totals(self.hands), table.weights("challenge", self.hands)
        return [weight * ONE // total for weight, total in zip(weights, totals, strict=True)]

    def doubt(self, bid: Count) -> int:
        """Return how likely the seat is to doubt this bid, in 2^-48."""
        return mean(self.weights, self.doubts(bid))

    def doubt_now(self) -> int:
        """Return how likely the seat is to doubt what stands, once it is its turn, in 2^-48."""
        state = replace(self._outlook.sight.state, turn=self.seat)
        return mean(self.weights, [self._weighed(state, hand) for hand in self.hands.hands])

    def _position_after(self, bid: Count) -> CountPosition:
        state = self._outlook.sight.state
        # What a seat is offered hangs on a bid only through whether it kills ones and whether it can be raised.
        wild = is_wild(state.rules.claims, state.round.opening or bid)
        key = (wild, can_be_raised(state.auction, bid))
        if key not in self._positions:
            self._positions[key] = position_of(self._sight(self._state_after(bid), self.hands.hands[0]))
        return replace(self._positions[key], standing=bid)

    def _state_after(self, bid: Count) -> State:
        sight = self._outlook.sight
        after = evolve(sight.state, events.Bid(sight.seat, bid.quantity, bid.face))
        return replace(after, turn=self.seat)

    def _sight(self, state: State, hand: Hand) -> Sight:
        return Sight(state, self.seat, {self.seat: hand} if hand else {})

    def _weighed(self, state: State, hand: Hand) -> int:
        weighing = weigh(self._sight(state, hand), self._outlook.beliefs.params)
        share = weighing.share(commands.Challenge(self.seat))
        return share.weight * ONE // share.total


def mean(weights: tuple[int, ...], chances: list[int]) -> int:
    """Return the mean of chances in 2^-48, each as likely as its weight says."""
    return sum([weight * chance for weight, chance in zip(weights, chances, strict=True)]) + HALF >> SCALE_BITS


def _hands_of(outlook: Outlook, seat: Seat) -> tuple[Hands, tuple[int, ...]]:
    state, belief = outlook.sight.state, outlook.beliefs.beliefs.get(seat)
    place = state.place_of(seat)
    if belief is None or place is None or seat not in place.knowers:
        return all_hands(0, state.rules.tokens.faces), (ONE,)
    return (belief.hands, belief.chances) if len(belief.hands) <= HANDS_MAX else _drawn(belief, outlook)


def _drawn(belief: Belief, outlook: Outlook) -> tuple[Hands, tuple[int, ...]]:
    sums = tuple(accumulate(belief.chances))
    drawn = Counter([bisect_right(sums, outlook.chance.draw(ONE)) for _ in range(HANDS_MAX)])
    places = sorted(drawn)
    return belief.hands.some(places), tuple([drawn[place] * ONE // HANDS_MAX for place in places])
