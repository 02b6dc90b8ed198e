"""Beliefs: the chance of each hand a seat may hold, as integers that sum to 2^48.

A belief begins with the number of throws that make each hand, and each move of the holder multiplies it by how likely
that hand was to make it. Hands of different seats stay independent of each other, given what is public.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, repeat
from operator import add, mul
from typing import Final

from domain.ids import Face
from domain.rules.claims import Auction
from domain.strategy.chance import Lot
from domain.strategy.hands import Hand, Hands, bearing, needs_natural
from domain.strategy.weighing import Share

SCALE_BITS: Final = 48
ONE: Final = 1 << SCALE_BITS
"""The chances of a belief sum to this."""
HALF: Final = ONE >> 1


class Belief:
    """The chance of each of some hands.

    Attributes:
        hands: Which hands there may be.
        chances: For each its chance, in 2^-48; their sum is 1.
    """

    __slots__ = ("_every", "_lot", "_spreads", "chances", "hands")

    def __init__(self, hands: Hands, chances: tuple[int, ...]) -> None:
        """Believe this; `belief_of` makes one of any weights."""
        self.hands = hands
        self.chances = chances
        self._spreads: dict[tuple[bool, bool, Face], Spread] = {}
        self._lot: Lot | None = None
        self._every: Belief | None = None

    @property
    def lot(self) -> Lot:
        """The hands to be drawn by their chances. Cost: remembered."""
        if self._lot is None:
            self._lot = Lot(self.chances)
        return self._lot

    def of_all(self, every: Hands) -> Belief:
        """Return the same, told of all hands, where these are some of them that were drawn. Cost: remembered."""
        if len(self.hands) == len(every):
            return self
        if self._every is None:
            chances = dict(zip(self.hands.hands, self.chances, strict=True))
            self._every = Belief(every, tuple([chances.get(hand, 0) for hand in every.hands]))
        return self._every

    def chance_of(self, hand: Hand) -> Fraction:
        """Return the chance of a hand; its faces ascend."""
        return Fraction(self.chances[self.hands.places[hand]], ONE)

    def spread(self, auction: Auction, face: Face) -> Spread:
        """Return how many dice are likely to count for a face. Cost: remembered."""
        key = bearing(auction, face)
        found = self._spreads.get(key)
        if found is None:
            found = self._spreads[key] = _spread(self, auction, face)
        return found


def belief_of(hands: Hands, weights: Sequence[int]) -> Belief:
    """Return the belief in proportion to these weights, of which one at least is above 0.

    Each chance is rounded down, and the likeliest hand, the first of them, gets what is left.
    """
    total = sum(weights)
    chances = [weight * ONE // total for weight in weights]
    chances[chances.index(max(chances))] += ONE - sum(chances)
    return Belief(hands, tuple(chances))


def prior_of(hands: Hands) -> Belief:
    """Return what is believed before the holder has done anything: every throw is as likely as another."""
    return belief_of(hands, hands.ways)


def read(belief: Belief, likelihoods: Sequence[int]) -> Belief:
    """Return the belief after something its holder did, given how likely each hand was to do it, in 2^-48.

    A hand that was possible stays so, however unlikely it gets.
    """
    found = [
        (chance * likely + HALF >> SCALE_BITS) or (1 if chance else 0)
        for chance, likely in zip(belief.chances, likelihoods, strict=True)
    ]
    return belief_of(belief.hands, found)


def likelihoods(weights: Sequence[int], totals: Sequence[int], share: Share, doubt: Fraction) -> list[int]:
    """Return how likely each hand is to make a move, in 2^-48, of a seat that plays as it likes with this chance.

    Args:
        weights: The weight of the move to each hand.
        totals: The weight of all moves to each hand; 0 where it thinks of none.
        share: All that is the same for every hand; its weight says whether the move was thought of.
        doubt: How much the seat is doubted.
    """
    always, scale = scaled(share.strange(doubt)), scaled(1 - doubt)
    # Where nothing is thought of, what is done says nothing of the hand.
    alike = ONE // max(1, share.legal)
    return [scale * weight // total + always if total else alike for weight, total in zip(weights, totals, strict=True)]


def scaled(chance: Fraction) -> int:
    """Return a chance in 2^-48, rounded half to even."""
    return round(chance * ONE)


def scaled_part(part: int, whole: int) -> int:
    """Return the chance that is so large a part of a whole, as `scaled` has it. Cost: a third of making a fraction."""
    found, rest = divmod(part * ONE, whole)
    return found + (2 * rest > whole or (2 * rest == whole and found % 2))


# ---- how many dice count -------------------------------------------------------------------------


class Spread:
    """The chance that so many of some dice count for a face, in 2^-48.

    Attributes:
        helped: By count, with a natural die among them, or where none is needed.
        bare: By count, without the natural die that a claim needs; empty where none is needed.
    """

    __slots__ = ("_bare", "_helped", "bare", "helped")

    def __init__(self, helped: tuple[int, ...], bare: tuple[int, ...] = ()) -> None:
        """Hold these chances."""
        self.helped = helped
        self.bare = bare
        self._helped: tuple[int, ...] | None = None
        self._bare: tuple[int, ...] = ()

    def holds(self, need: int, *, natural: bool) -> int:
        """Return the chance that so many or more count, in 2^-48; `natural` says whether a natural is known already.

        Cost: a look-up, once it has been asked.
        """
        if self._helped is None:
            self._helped, self._bare = _or_more(self.helped), _or_more(self.bare)
        least = max(need, 0)
        found = self._helped[least] if least < len(self._helped) else 0
        return found + self._bare[least] if natural and least < len(self._bare) else found


def _or_more(chances: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(accumulate(reversed(chances)))[::-1]


def _spread(belief: Belief, auction: Auction, face: Face) -> Spread:
    dice = belief.hands.dice
    found = belief.hands.sums(auction, face, belief.chances)
    if needs_natural(auction, face):
        return Spread(tuple(found[dice + 1 :]), tuple(found[: dice + 1]))
    return Spread(tuple(found))


NOTHING: Final = Spread((ONE,))


def together(spreads: Sequence[Spread], auction: Auction, face: Face) -> Spread:
    """Return how many dice are likely to count in all these hands, which are independent of each other."""
    if not needs_natural(auction, face):
        whole = NOTHING.helped
        for each in spreads:
            whole = _convolve(whole, each.helped)
        return Spread(whole)
    # Of all throws those without any natural die are told apart.
    whole, bare = NOTHING.helped, NOTHING.helped
    for each in spreads:
        whole = _convolve(whole, tuple(map(sum, zip(each.helped, each.bare, strict=True))))
        bare = _convolve(bare, each.bare)
    # What was rounded may leave one too few.
    return Spread(tuple([max(0, every - without) for every, without in zip(whole, bare, strict=True)]), bare)


def _convolve(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    if len(one) > len(other):
        one, other = other, one
    found, wide = [0] * (len(one) + len(other) - 1), len(other)
    for place, chance in enumerate(one):
        found[place : place + wide] = map(add, found[place : place + wide], map(mul, other, repeat(chance)))
    return tuple([chance + HALF >> SCALE_BITS for chance in found])
