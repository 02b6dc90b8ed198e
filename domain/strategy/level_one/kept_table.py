"""Kept tables: the weights of all ways to handle the dice of a place before a call, for one hand after the other.

What a way weighs hangs on the dice that are kept, and on those of them that lie open; which of these there are hangs on
no call. So they are found once for each hand, as places in a column, and a call has a column.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final

from msgspec import Struct

from domain.ids import Face
from domain.statistics.odds import Throw
from domain.strategy.hands import Picker, picker_of
from domain.strategy.level_one.arrangements import Arranger, DiceAfter, Fates, Kept
from domain.strategy.level_one.hands import Faces, throws_by_rung, throws_of, throws_of_rung
from domain.strategy.level_params import LevelParams
from domain.strategy.weighing import weights_by_step

KeptFaces = tuple[Faces, Faces]
"""What is kept, hidden and open, and what of it lies open; ascending."""
KeptThrows = tuple[tuple[int, ...], int, Faces]
"""Of what is kept: by rung how many throws of the others make it or a higher one, of how many, and what lies open."""
TABLES_MAX: Final = 12
"""How many tables are remembered, of up to 300 kB, and as much for their columns."""
COLUMNS_MAX: Final = 64
"""How many calls a table remembers at once."""


class CallAhead(Struct, frozen=True):
    """The lowest call that may follow a handling.

    Attributes:
        throw: How dice are read once it stands.
        lowest: Its rung.
        tries: As of `tries_of`.
    """

    throw: Throw
    lowest: int
    tries: int


class KeptWeights:
    """The weights of ways to handle dice where a call follows, in integers: `weight_of(worth_of_keeping(...))`."""

    def __init__(self, call: CallAhead, params: LevelParams) -> None:
        """Weigh them by this call."""
        self._throw, self._lowest, self._tries = call.throw, call.lowest, call.tries
        self._nerve, self._grain = params.nerve, params.grain
        self._weights = weights_by_step(params)
        self._looks: dict[Faces, tuple[int, int]] = {}

    def __call__(self, kept: Kept) -> int:
        """Return the weight of a way to handle dice."""
        return self.of_pairs([(tuple(sorted(kept.inside + kept.outside)), kept.outside)])[0]

    def of_pairs(self, pairs: Iterable[KeptFaces]) -> list[int]:
        """Return the weight of each way to keep dice."""
        throw = self._throw
        return self.of_throws((throws_by_rung(throw, known), throws_of(throw, known), shown) for known, shown in pairs)

    def of_throws(self, throws: Iterable[KeptThrows]) -> list[int]:
        """Return the weight of each way to keep dice, by the throws of the others."""
        lowest, grain, weights, looks, found = self._lowest, self._grain, self._weights, self._looks, []
        for by_rung, every, shown in throws:
            made = by_rung[lowest] if lowest < len(by_rung) else 0
            looked, of = looks.get(shown) or self._looks_of(shown)
            found.append(weights[grain * (made * of + (every - made) * looked) // (every * of)])
        return found

    def of_all(self, fates: Fates, faces: Sequence[Face]) -> list[int]:
        """Return the weight of each fate of dice that show these, all its splits together."""
        pairs, splits = pairs_of(fates, faces)
        return [weight * times for weight, times in zip(self.of_pairs(pairs), splits, strict=True)]

    def _looks_of(self, public: Faces) -> tuple[int, int]:
        """Return what a lie is worth to whoever sees these dice, as numerator and denominator."""
        makes, throws = throws_of_rung(self._throw, self._lowest, public)
        nerve, every = self._nerve[0], self._nerve[1]
        tried = throws**self._tries
        found = self._looks[public] = ((tried - (throws - makes) ** self._tries) * nerve, tried * every)
        return found


def pairs_of(fates: Fates, faces: Sequence[Face]) -> tuple[list[KeptFaces], list[int]]:
    """Return of each fate of dice that show these what is kept, and in how many ways the others may be rolled."""
    known = [tuple([faces[at] for at in places]) for places in fates.known]
    shown = [tuple([faces[at] for at in places]) for places in fates.open]
    return [(known[some], shown[out]) for some, out, _ in fates.parts], [splits for _, _, splits in fates.parts]


class _HandWays(Struct, frozen=True):
    """The ways to handle a hand.

    Attributes:
        fates: What may become of the dice.
        ways: How many ways there are.
        places: Where the weight of each fate stands.
        picks: The same, by into how many ways each is split.
    """

    fates: Fates
    ways: int
    places: tuple[int, ...]
    picks: tuple[tuple[int, Picker], ...]

    def have(self, place: int, split: int) -> bool:
        """Report whether the dice kept may be those of a place, with so many of the others rolled in the open."""
        if place not in self.places:
            return False
        every = self.fates.every
        if split in every[self.places.index(place)].splits:
            return True
        return any(split in fate.splits for fate, each in zip(every, self.places, strict=True) if each == place)


class KeptTable:
    """The ways to handle the dice of a place, hand by hand, whatever is called."""

    def __init__(self) -> None:
        """Begin without any hand; `kept_column` makes one of these for all calls."""
        self._places: dict[KeptFaces, int] = {}
        self._throws: dict[Throw, list[KeptThrows]] = {}
        self._hands: dict[Faces, _HandWays] = {}
        self._columns: dict[tuple[CallAhead, LevelParams], KeptColumn] = {}

    def __len__(self) -> int:
        """Return how many weights a column has by now."""
        return len(self._places)

    def place_of(self, kept: KeptFaces) -> int | None:
        """Return where the weight of this stands in a column; None where no hand so far may come to it."""
        return self._places.get(kept)

    def throws(self, throw: Throw) -> Sequence[KeptThrows]:
        """Return the throws of the dice that are not kept, as a column stands. Cost: remembered."""
        found = self._throws.setdefault(throw, [])
        for known, shown in islice(self._places, len(found), None):
            found.append((throws_by_rung(throw, known), throws_of(throw, known), shown))
        return found

    def ways(self, arranger: Arranger, hand: Faces) -> _HandWays:
        """Return the ways to handle these hidden dice. Cost: remembered."""
        found = self._hands.get(hand)
        if found is None:
            found = self._hands[hand] = self._find(arranger, hand)
        return found

    def _find(self, arranger: Arranger, hand: Faces) -> _HandWays:
        fates, places = arranger.fates(hand), self._places
        pairs, splits = pairs_of(fates, sorted({*hand, *arranger.open}))
        by_splits: dict[int, list[int]] = {}
        stand = tuple([places.setdefault(pair, len(places)) for pair in pairs])
        for place, times in zip(stand, splits, strict=True):
            by_splits.setdefault(times, []).append(place)
        picks = [(times, picker_of(tuple(some))) for times, some in by_splits.items()]
        return _HandWays(fates, sum(splits), stand, tuple(picks))

    def column(self, call: CallAhead, params: LevelParams) -> KeptColumn:
        """Return what all of it weighs before a call."""
        found = self._columns.get((call, params))
        if found is None:
            if len(self._columns) >= COLUMNS_MAX:
                self._columns.clear()
            found = self._columns[call, params] = KeptColumn(self, call, params)
        return found


class KeptColumn:
    """What ways to handle dice weigh before one call."""

    def __init__(self, table: KeptTable, call: CallAhead, params: LevelParams) -> None:
        """Weigh what a table has, and what comes to it."""
        self._table, self._throw = table, call.throw
        self._weigh = KeptWeights(call, params)
        self._weights: list[int] = []

    def total(self, arranger: Arranger, hand: Faces) -> tuple[int, int]:
        """Return the weight of all ways to handle these hidden dice together, and how many there are."""
        found, weights = self._table.ways(arranger, hand), self._weights
        if len(weights) < len(self._table):
            weights += self._weigh.of_throws(self._table.throws(self._throw)[len(weights) :])
        return sum([times * sum(pick(weights)) for times, pick in found.picks]), found.ways

    def weight(self, arranger: Arranger, hand: Faces, result: DiceAfter) -> int:
        """Return the weight of what may come of these hidden dice, whose total was asked for; 0 where it may not."""
        ways, shown = self._table.ways(arranger, hand), result.outside
        place = self._table.place_of((tuple(sorted(result.inside + shown)), shown))
        return 0 if place is None or not ways.have(place, result.roll_outside) else self._weights[place]


def kept_column(arranger: Arranger, call: CallAhead, params: LevelParams) -> KeptColumn:
    """Return what the ways to handle dice weigh where this is the lowest call that may follow. Cost: remembered."""
    return _table_of(arranger.lying(())).column(call, params)


@lru_cache(maxsize=TABLES_MAX)
def _table_of(_lying: tuple[object, ...]) -> KeptTable:
    return KeptTable()
