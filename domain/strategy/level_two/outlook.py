"""The outlook of level 2: what a seat sees, and what it believes of the dice it does not see."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Final

from msgspec import Struct

from domain.ids import CupId, Face, Seat
from domain.strategy.chance import Lot, Words
from domain.strategy.hands import Hand, Hands, all_hands
from domain.strategy.level_one.count_handling import Spot
from domain.strategy.reading.beliefs import ONE, Spread
from domain.strategy.reading.reader import Beliefs
from domain.strategy.sight import Sight

HANDS_MAX: Final = 64
"""How many hands of a seat are gone through; of more than these, so many are drawn."""
THROWS_MAX: Final = 252
"""How many throws of fresh dice are gone through, told apart by what they show: those of five dice."""
DOUBT: Final = Fraction(1, 32)
"""How much level 2 doubts whoever it reads, throughout: between programs trust wins, though it is worse calibrated."""
Weighted = tuple[Hands, tuple[int, ...]]
"""Some hands, and how likely each of them is, in 2^-48; these sum to 1."""


class Outlook(Struct, frozen=True):
    """What level 2 goes by.

    Attributes:
        sight: What the seat sees.
        beliefs: What its reading of the round has come to.
        words: What hands are drawn by where there are more than are gone through.
        drawn: The hands of each seat that has been gone through: the same for all that is weighed in one turn.
        spots: What may come of the hands of each seat, by whether ones are wild and the bid can be raised.
    """

    sight: Sight
    beliefs: Beliefs
    words: Words
    drawn: dict[Seat, Weighted]
    spots: dict[tuple[Seat, bool, bool], dict[Hand, tuple[Spot, ...]]]

    def hands_of(self, seat: Seat) -> Weighted:
        """Return the hands a seat is gone through with: all, or as many as are drawn from what is believed."""
        if seat not in self.drawn:
            self.drawn[seat] = self._hands_of(seat)
        return self.drawn[seat]

    def _hands_of(self, seat: Seat) -> Weighted:
        state = self.sight.state
        place = state.place_of(seat)
        if place is None or seat not in place.knowers or place.cup not in self.beliefs.beliefs:
            # Who has not looked answers without dice of its own.
            return all_hands(0, state.rules.tokens.faces), (ONE,)
        if place.cup in self.sight.dice:
            hand = tuple(sorted(self.sight.dice[place.cup]))
            return Hands([hand], [1]), (ONE,)
        belief = self.beliefs.beliefs[place.cup]
        return self.some(belief.hands, belief.chances)

    @property
    def own(self) -> CupId | None:
        """The cup whose dice the seat knows; None where it has not looked."""
        place = self.sight.state.place_of(self.sight.seat)
        return place.cup if place is not None and self.sight.seat in place.knowers else None

    def spread(self, face: Face, *but: CupId | None) -> Spread:
        """Return how many dice are likely to count for a face in all cups but the seat's own, and these."""
        return self.beliefs.spread_of_others(self.sight.state, face, self.own, *but)

    def some(self, hands: Hands, chances: tuple[int, ...]) -> Weighted:
        """Return hands with their chances: these, or as many as are drawn of them where there are too many."""
        if len(hands) <= HANDS_MAX:
            return hands, chances
        lot = Lot(chances)
        drawn = Counter([lot.draw(self.words) for _ in range(HANDS_MAX)])
        places = sorted(drawn)
        return hands.some(places), tuple([drawn[place] * ONE // HANDS_MAX for place in places])


def outlook_of(sight: Sight, beliefs: Beliefs, words: Words) -> Outlook:
    """Return what level 2 goes by at the beginning of a turn."""
    return Outlook(sight, beliefs, words, {}, {})
