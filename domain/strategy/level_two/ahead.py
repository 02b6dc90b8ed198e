"""Looking ahead: a seat that will have to answer a bid, and how likely each of its hands is to doubt."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from domain import commands, events
from domain.ids import Seat
from domain.rules.claims import can_be_raised
from domain.rules.orders import Count
from domain.strategy.level_one.count_handling import CountHandling, Handler
from domain.strategy.level_one.count_table import HANDLE, CountPosition, table_of
from domain.strategy.level_one.counts import position_of
from domain.strategy.level_one.thinking import weigh
from domain.strategy.level_two.outlook import Outlook
from domain.strategy.reading.beliefs import HALF, ONE, SCALE_BITS
from domain.strategy.sight import Sight
from domain.table.evolve import evolve
from domain.table.state import State


class _Answering(Struct, frozen=True):
    """What a seat is offered after a bid: the position, and how it may handle its dice, if it may."""

    position: CountPosition
    handler: Handler | None


class Answerer:
    """A seat that answers.

    Attributes:
        seat: Which.
        hands: The hands it is gone through with.
        weights: How likely each of them is, in 2^-48; their sum is 1.
        apart: The cup of these hands, whose dice the bidder does not know; None where it has none of its own.
    """

    def __init__(self, outlook: Outlook, seat: Seat) -> None:
        """Go by what is believed of the seat."""
        self.seat = seat
        self._outlook = outlook
        self._params = outlook.beliefs.params
        self.hands, self.weights = outlook.hands_of(seat)
        place = outlook.sight.state.place_of(seat)
        assert place is not None
        self._cup = place.cup
        self.apart = None if not self.hands.dice or place.cup == outlook.own else place.cup
        self._auction = outlook.sight.state.auction
        self._answering: dict[tuple[bool, bool], _Answering] = {}

    def doubts(self, bid: Count) -> list[int]:
        """Return how likely each hand is to doubt this bid of the thinking seat, in 2^-48."""
        answering = self._answering_to(bid)
        position = replace(answering.position, standing=bid)
        table = table_of(position, self._params)
        if table.complete:
            totals: Sequence[int] = table.totals(self.hands)
        elif answering.handler is not None and table.complete_but_handling:
            totals = CountHandling(position, answering.handler, self._params).sums(self.hands)
        else:
            return self._weighed(self._state_after(bid))
        weights = table.weights("challenge", self.hands)
        return [weight * ONE // total for weight, total in zip(weights, totals, strict=True)]

    def doubt(self, bid: Count) -> int:
        """Return how likely the seat is to doubt this bid, in 2^-48."""
        return self._mean(self.doubts(bid))

    def doubt_now(self) -> int:
        """Return how likely the seat is to doubt what stands, once it is its turn, in 2^-48."""
        return self._mean(self._weighed(replace(self._outlook.sight.state, turn=self.seat)))

    def _mean(self, chances: Sequence[int]) -> int:
        return sum([weight * one for weight, one in zip(self.weights, chances, strict=True)]) + HALF >> SCALE_BITS

    def _answering_to(self, bid: Count) -> _Answering:
        state = self._outlook.sight.state
        # What a seat is offered hangs on a bid only through whether it kills ones and whether it can be raised.
        key = (state.wild_after(bid), can_be_raised(self._auction, bid))
        if key not in self._answering:
            after = self._state_after(bid)
            position = position_of(self._sight(after, 0))
            knows = position.hidden > 0 and HANDLE in position.kinds
            # What a seat may do with its dice is the same whatever the bidder shows of its own before the bid.
            known = self._outlook.spots.setdefault((self.seat, *key), {})
            self._answering[key] = _Answering(position, Handler(after, self.seat, known) if knows else None)
        return self._answering[key]

    def _state_after(self, bid: Count) -> State:
        sight = self._outlook.sight
        after = evolve(sight.state, events.Bid(sight.seat, bid.quantity, bid.face))
        return replace(after, turn=self.seat)

    def _sight(self, state: State, place: int) -> Sight:
        return Sight(state, self.seat, {self._cup: self.hands.hands[place]} if self.hands.dice else {})

    def _weighed(self, state: State) -> list[int]:
        found = []
        for place in range(len(self.hands)):
            share = weigh(self._sight(state, place), self._params).share(commands.Challenge(self.seat))
            found.append(share.weight * ONE // share.total)
        return found
