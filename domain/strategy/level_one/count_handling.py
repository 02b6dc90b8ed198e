"""Count handlings: the weights of a position of a bidding in which dice may be handled as well, hand by hand.

What a handling is worth is what the best bid after it is worth, and there the same columns are asked: so its weight is
the largest weight of a table, by the dice that are kept hidden.
"""

from __future__ import annotations

from msgspec.structs import replace

from domain.ids import Seat
from domain.strategy.hands import Hand, Hands, all_hands
from domain.strategy.level_one.arrangements import Arranger, DiceAfter
from domain.strategy.level_one.count_table import CountPosition, table_of
from domain.strategy.level_params import LevelParams
from domain.strategy.sight import open_faces
from domain.table.state import State


class Handler:
    """Whoever may handle dice: the results it has for each hand, worked out once for all positions alike.

    Attributes:
        seat: The seat.
        others: The faces that lie open at other places, ascending.
        claims: What may be said after dice were handled, as kinds of offers.
    """

    def __init__(self, state: State, seat: Seat, results: dict[Hand, tuple[DiceAfter, ...]]) -> None:
        """Look at a game in which the seat may handle dice now.

        Args:
            state: The game.
            seat: The seat.
            results: What was worked out before, in positions in which it may do the same; more is added.
        """
        self.seat = seat
        self._arranger = Arranger(state, seat)
        first = state.rules.tokens.faces.first
        beside = [open_faces(place, first) for cup, place in state.places.items() if cup != self._arranger.place.cup]
        self.others = tuple(sorted([face for faces in beside for face in faces]))
        free = not state.rules.handling.binds and state.round.standing is not None
        self.claims = ("bid", "challenge") if free else ("bid",)
        self._results = results

    def results(self, hand: Hand) -> tuple[DiceAfter, ...]:
        """Return what may come of these hidden dice, each result once."""
        found = self._results.get(hand)
        if found is None:
            found = self._results[hand] = tuple(self._arranger.results(hand))
        return found


class CountHandling:
    """All weights of a position with ways to handle dice among them.

    Attributes:
        position: Which; `arrange` is among its kinds.
        table: The weights of all other moves.
    """

    def __init__(self, position: CountPosition, handler: Handler, params: LevelParams) -> None:
        """Look at a position in which this seat may handle dice, and which it knows all of its own."""
        self.position = position
        self.table = table_of(position, params)
        self._handler = handler
        self._params = params
        self._best: dict[tuple[Hand, int], tuple[Hands, tuple[int, ...]]] = {}

    def handled(self, hand: Hand) -> list[int]:
        """Return the weight of each way to handle these dice."""
        return [self.weight(result) for result in self._handler.results(hand)]

    def weight(self, result: DiceAfter) -> int:
        """Return the weight of a way to handle dice."""
        key = (result.outside, len(result.inside))
        if key not in self._best:
            self._best[key] = self._best_after(result)
        hands, weights = self._best[key]
        return weights[hands.places[result.inside]]

    def _best_after(self, result: DiceAfter) -> tuple[Hands, tuple[int, ...]]:
        shown = tuple(sorted([*self._handler.others, *result.outside]))
        hidden = len(result.inside)
        unknown = self.position.auction.tokens - len(shown) - hidden
        kinds = self._handler.claims
        after = replace(self.position, shown=shown, hidden=hidden, unknown=unknown, kinds=kinds)
        hands = all_hands(hidden, self.position.auction.faces)
        return hands, table_of(after, self._params).largest(hands)

    def sums(self, hands: Hands) -> list[tuple[int, int]]:
        """Return the sum of all weights to each hand, and how many moves it thinks of."""
        plain, found = len(self.table.columns), []
        for hand, total in zip(hands.hands, self.table.totals(hands), strict=True):
            handled = self.handled(hand)
            found.append((total + sum(handled), plain + len(handled)))
        return found
