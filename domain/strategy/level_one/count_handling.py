"""Count handlings: the weights of a position of a bidding in which dice may be handled as well, hand by hand.

What a handling is worth is what the best bid after it is worth, and there the same columns are asked: so its weight is
the largest weight of a table, by the dice that are kept hidden.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from domain import commands
from domain.ids import Seat
from domain.rules.orders import Count
from domain.strategy.hands import Hand, Hands, all_hands
from domain.strategy.level_one.arrangements import Arranger, DiceAfter
from domain.strategy.level_one.count_table import HANDLE, Answer, CountPosition, largest_weights, table_of
from domain.strategy.level_one.counts import position_of
from domain.strategy.level_params import LevelParams
from domain.strategy.sight import Sight, open_faces
from domain.table.moves import plain_command
from domain.table.offers import Move
from domain.table.state import State

Left = tuple[Hand, int]
"""What a handling leaves: the faces that lie open for all to see, and how many dice stay hidden and are not rolled."""
Spot = tuple[Left, int]
"""A handling as its weight is found: what it leaves, and which of all hands of so many dice stays hidden."""


class Handler:
    """Whoever may handle dice: what may come of each hand, worked out once for all positions alike."""

    def __init__(self, state: State, seat: Seat, spots: dict[Hand, tuple[Spot, ...]]) -> None:
        """Look at a game in which the seat may handle dice now.

        Args:
            state: The game.
            seat: The seat.
            spots: What was worked out before, in positions in which it may do the same; more is added.
        """
        self.arranger = Arranger(state, seat)
        self._faces = state.rules.tokens.faces
        self._spots = spots
        places = [place for cup, place in state.places.items() if cup != self.arranger.place.cup]
        beside = [face for place in places for face in open_faces(place, self._faces.first)]
        self.others = tuple(sorted(beside))
        free = not state.rules.handling.binds and state.round.standing is not None
        self.claims = ("bid", "challenge") if free else ("bid",)

    def spots(self, hand: Hand) -> tuple[Spot, ...]:
        """Return what may come of these hidden dice, each once."""
        found = self._spots.get(hand)
        if found is None:
            found = self._spots[hand] = tuple([self.spot(result) for result in self.arranger.results(hand)])
        return found

    def spot(self, result: DiceAfter) -> Spot:
        """Return how the weight of what comes of a handling is found."""
        inside = result.inside
        return (result.outside, len(inside)), all_hands(len(inside), self._faces).places[inside]


class CountHandling:
    """All weights of a position with ways to handle dice among them.

    Attributes:
        table: The weights of all other moves.
    """

    def __init__(self, position: CountPosition, handler: Handler, params: LevelParams) -> None:
        """Look at a position in which this seat may handle dice, and knows all of its own."""
        self.table = table_of(position, params)
        self._position = position
        self._handler = handler
        self._params = params
        self._best: dict[Left, tuple[int, ...]] = {}

    def weight(self, spot: Spot) -> int:
        """Return the weight of a way to handle dice."""
        left, place = spot
        best = self._best.get(left)
        if best is None:
            best = self._best[left] = self._best_after(left)
        return best[place]

    def _best_after(self, left: Left) -> tuple[int, ...]:
        outside, hidden = left
        auction, kinds = self._position.auction, self._handler.claims
        shown = tuple(sorted([*self._handler.others, *outside]))
        unknown = auction.tokens - len(shown) - hidden
        after = replace(self._position, shown=shown, hidden=hidden, unknown=unknown, kinds=kinds)
        return largest_weights(after, all_hands(hidden, auction.faces), self._params)

    def sums(self, hands: Hands) -> list[int]:
        """Return the sum of all weights to each hand."""
        weight, spots = self.weight, self._handler.spots
        return [
            total + sum([weight(spot) for spot in spots(hand)])
            for hand, total in zip(hands.hands, self.table.totals(hands), strict=True)
        ]


class CountWeights:
    """The weights of a position move by move, ways to handle dice among them, whatever the seat's hidden dice show.

    Attributes:
        complete: Whether every kind of move on offer has its weights here.
    """

    def __init__(self, sight: Sight, offers: Sequence[Move], params: LevelParams) -> None:
        """Look at a position; `sight` knows as many dice as the seat does, whatever these show."""
        self._position = position_of(sight, offers)
        self._table = table_of(self._position, params)
        self.complete = self._table.complete_but_handling
        handles = HANDLE in self._position.kinds and self._position.hidden > 0
        handler = Handler(sight.state, sight.seat, {}) if handles else None
        self._handler = handler
        self._handling = None if handler is None else CountHandling(self._position, handler, params)
        self._commands = {answer: _command_of(answer, sight.seat, offers) for answer in self._table.columns}

    def of(self, hand: Hand) -> dict[commands.Play | DiceAfter, int]:
        """Return the weight of each move that a hand thinks of, and of what may come of each way to handle its dice."""
        found: dict[commands.Play | DiceAfter, int] = {
            command: self._table.weight(answer, hand) for answer, command in self._commands.items()
        }
        if self._handler is not None and self._handling is not None:
            for result in self._handler.arranger.results(hand):
                found[result] = self._handling.weight(self._handler.spot(result))
        return found


def _command_of(answer: Answer, seat: Seat, offers: Sequence[Move]) -> commands.Play:
    if isinstance(answer, Count):
        return commands.Bid(seat, answer.quantity, answer.face)
    asks = next(plain_command(offer) for offer in offers if offer.__struct_config__.tag == answer)
    assert asks is not None
    return asks(seat)
