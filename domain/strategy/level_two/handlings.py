"""Handlings: what ways to handle dice are worth before a call, each worked out once for all hands that come to it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import comb

from domain.strategy.hands import all_hands
from domain.strategy.level_one.arrangements import Arranger
from domain.strategy.level_one.hands import Faces
from domain.strategy.level_one.kept_table import KeptFaces, pairs_of
from domain.strategy.level_two.call_prospects import CallProspects
from domain.strategy.level_two.outlook import THROWS_MAX, Outlook
from domain.table.state import State


class Handlings:
    """What ways to handle the dice of a place are worth to a seat that calls then.

    Attributes:
        stays: What calls are worth if nothing is handled.
    """

    def __init__(self, outlook: Outlook, state: State) -> None:
        """Look at a game in which the seat of an outlook may handle dice, or call."""
        self.stays, self._moved = prospects_of(outlook, state), prospects_of(outlook, state, alone=True)
        self._arranger, self._faces = Arranger(state, outlook.sight.seat), state.rules.tokens.faces
        self._known: dict[tuple[KeptFaces, int, int], int] = {}
        self._stayed: dict[Faces, bool] = {}

    def throws(self, roll_inside: int, roll_outside: int) -> int:
        """Return how many throws there may be of so many dice, told apart by what they show."""
        return _throws(roll_inside, roll_outside, self._faces.count)

    def worths(self, hand: Faces, budget: int) -> Iterator[int]:
        """Yield what each way to handle these hidden dice is worth, in 2^-48.

        Args:
            hand: The dice, ascending.
            budget: How many throws are gone through; beyond, only the lowest call matters, as to level 1.
        """
        fates = self._arranger.fates(hand)
        pairs, _ = pairs_of(fates, sorted({*hand, *self._arranger.open}))
        for fate, kept in zip(fates.every, pairs, strict=True):
            # How many of the others are rolled in the open makes a difference only to who goes through the throws.
            for split in fate.splits if budget >= 0 else fate.splits[:1]:
                budget -= self.throws(fate.rolled - split, split)
                yield self.worth(kept, fate.rolled - split, split, budget)

    def worth(self, kept: KeptFaces, roll_inside: int, roll_outside: int, budget: int) -> int:
        """Return what a way to handle dice is worth, in 2^-48: the mean of the best call after it.

        Args:
            kept: The dice that are not rolled.
            roll_inside: How many are rolled hidden.
            roll_outside: How many in the open.
            budget: Throws that are left; below 0 none is gone through.
        """
        if budget < 0 or self.throws(roll_inside, roll_outside) > THROWS_MAX:
            return self._prospects(kept[1], roll_inside + roll_outside).lie(*kept)
        key = kept, roll_inside, roll_outside
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._mean(*key)
        return found

    def _prospects(self, shown: Faces, rolled: int) -> CallProspects:
        """Return what calls are worth then: nobody else knows dice some of which were rolled, or taken up again."""
        if rolled:
            return self._moved
        stayed = self._stayed.get(shown)
        if stayed is None:
            opened = self._arranger.open
            stayed = self._stayed[shown] = all(shown.count(face) >= opened.count(face) for face in opened)
        return self.stays if stayed else self._moved

    def _mean(self, kept: KeptFaces, roll_inside: int, roll_outside: int) -> int:
        prospects, (known, outside) = self._prospects(kept[1], roll_inside + roll_outside), kept
        hidden, opened = all_hands(roll_inside, self._faces), all_hands(roll_outside, self._faces)
        worth, every = 0, 0
        for seen, seen_ways in zip(opened.hands, opened.ways, strict=True):
            shown = tuple(sorted(outside + seen))
            for thrown, ways in zip(hidden.hands, hidden.ways, strict=True):
                worth += prospects.best(tuple(sorted(known + seen + thrown)), shown) * (ways * seen_ways)
                every += ways * seen_ways
        return worth // every


def prospects_of(outlook: Outlook, state: State, *, alone: bool = False) -> CallProspects:
    """Return what calls are worth from a position on; `alone` says whether nobody else knows the dice then."""
    seat = outlook.sight.seat
    place = state.place_of(seat)
    assert place is not None
    return CallProspects(outlook, state, (seat,) if alone else place.knowers)


@cache
def _throws(roll_inside: int, roll_outside: int, faces: int) -> int:
    return comb(roll_inside + faces - 1, faces - 1) * comb(roll_outside + faces - 1, faces - 1)
