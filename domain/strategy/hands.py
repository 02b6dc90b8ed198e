"""Hands: multisets of hidden dice, each with the number of throws that make it, and what of them counts for a face.

A holding is how many dice of a hand count for a face, ones included while they are wild. Where a claim needs a natural
die, and the hand has one, it is that number and `dice + 1` more: all that a bidding asks of a hand is one small integer
a face.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement
from math import factorial, prod
from operator import itemgetter

from domain.ids import Face
from domain.rules.claims import ONE, Auction, count_of
from domain.rules.rules import Faces

Hand = tuple[Face, ...]
"""The faces of some dice, ascending."""
Picker = Callable[[Sequence[int]], tuple[int, ...]]
"""What picks the entry of each hand out of a column that has one for each holding."""


def needs_natural(auction: Auction, face: Face) -> bool:
    """Report whether a claim on this face does not hold by ones alone."""
    return auction.counting.natural and auction.wild and face != ONE


def bearing(auction: Auction, face: Face) -> tuple[bool, bool, Face]:
    """Return all of an auction that a holding hangs on: whether ones are wild, and a natural die is needed."""
    return auction.wild, auction.counting.natural, face


def holding_of(auction: Auction, face: Face, hand: Sequence[Face]) -> int:
    """Return what of a hand counts for a face, as an index of a column."""
    natural = needs_natural(auction, face) and face in hand
    return count_of(auction, face, hand) + (len(hand) + 1 if natural else 0)


def faces_of(faces: Faces) -> tuple[Face, ...]:
    """Return what a token may show, ascending."""
    return tuple(range(faces.first, faces.first + faces.count))


def ways_of(hand: Iterable[Face]) -> int:
    """Count the throws that make a hand: the orders in which its dice can fall."""
    alike = Counter(hand).values()
    return factorial(sum([*alike])) // prod(map(factorial, alike))


class Hands:
    """Some hands of equally many dice, ascending, with the number of throws that make each.

    Attributes:
        dice: How many dice a hand has.
        hands: The hands.
        ways: For each, how many throws make it.
        places: Where each of them stands.
        lasts: Whether these are all hands of so many dice, which are made once.
    """

    def __init__(self, hands: Sequence[Hand], ways: Sequence[int], *, lasts: bool = False) -> None:
        """Hold these hands."""
        self.lasts = lasts
        self.dice = len(hands[0])
        self.hands = tuple(hands)
        self.ways = tuple(ways)
        self.places = {hand: place for place, hand in enumerate(self.hands)}
        self._among: tuple[Hands, tuple[int, ...]] | None = None
        self._holdings: dict[tuple[bool, bool, Face], tuple[int, ...]] = {}
        self._pickers: dict[tuple[bool, bool, Face], Picker] = {}
        self._alike: dict[tuple[bool, bool, Face], tuple[tuple[int, Picker], ...]] = {}

    def __len__(self) -> int:
        """Return how many hands there are."""
        return len(self.hands)

    def some(self, places: Sequence[int]) -> Hands:
        """Return those of the hands that stand at these places, in their order, each once."""
        found = Hands([self.hands[place] for place in places], [self.ways[place] for place in places])
        found._among = (self, tuple(places))
        return found

    def holdings(self, auction: Auction, face: Face) -> tuple[int, ...]:
        """Return what of each hand counts for a face. Cost: remembered."""
        key = bearing(auction, face)
        found = self._holdings.get(key)
        if found is None:
            found = self._holdings[key] = self._holdings_of(auction, face)
        return found

    def _holdings_of(self, auction: Auction, face: Face) -> tuple[int, ...]:
        if self._among is None:
            return self._counted(auction, face)
        # What counts of these hands is known of them all: a look-up a hand, where a count takes a microsecond.
        every, places = self._among
        whole = every.holdings(auction, face)
        return tuple([whole[place] for place in places])

    def _counted(self, auction: Auction, face: Face) -> tuple[int, ...]:
        """Return what counts of each hand: the rule is asked once a face, and not once a hand."""
        helping = [each for each in faces_of(auction.faces) if count_of(auction, face, (each,))]
        natural = self.dice + 1 if needs_natural(auction, face) else 0
        return tuple(
            [
                sum([hand.count(each) for each in helping]) + (natural if natural and face in hand else 0)
                for hand in self.hands
            ]
        )

    def picker(self, auction: Auction, face: Face) -> Picker:
        """Return what picks each hand's entry out of a column of this face. Cost: remembered."""
        key = bearing(auction, face)
        found = self._pickers.get(key)
        if found is None:
            found = self._pickers[key] = picker_of(self.holdings(auction, face))
        return found

    def sums(self, auction: Auction, face: Face, numbers: Sequence[int]) -> list[int]:
        """Return the sum of the numbers of all hands with a holding, by holding; each hand has a number.

        Cost: a third of going through them, where these are all hands of so many dice.
        """
        found = [0] * ((2 if needs_natural(auction, face) else 1) * (self.dice + 1))
        if not self.lasts:
            for holding, number in zip(self.holdings(auction, face), numbers, strict=True):
                found[holding] += number
            return found
        key = bearing(auction, face)
        if key not in self._alike:
            self._alike[key] = _alike(self.holdings(auction, face))
        for holding, pick in self._alike[key]:
            found[holding] = sum(pick(numbers))
        return found


def _alike(holdings: tuple[int, ...]) -> tuple[tuple[int, Picker], ...]:
    """Return what picks the entries of all hands with a holding, for each that some hand has."""
    places: dict[int, list[int]] = {}
    for place, holding in enumerate(holdings):
        places.setdefault(holding, []).append(place)
    return tuple([(holding, picker_of(tuple(some))) for holding, some in places.items()])


def picker_of(places: tuple[int, ...]) -> Picker:
    """Return what picks the entries at these places out of a column; there is one at least."""
    if len(places) == 1:
        alone = places[0]
        return lambda column: (column[alone],)
    # Four microseconds for 252 hands, a fifth of what asking them one after the other takes.
    return itemgetter(*places)


@lru_cache(maxsize=64)
def all_hands(dice: int, faces: Faces) -> Hands:
    """Return every hand of so many dice. Cost: 252 for five dice, 462 for six, 24,310 for eight digits; remembered."""
    hands = tuple(combinations_with_replacement(faces_of(faces), dice))
    return Hands(hands, [ways_of(hand) for hand in hands], lasts=True)
