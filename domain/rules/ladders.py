"""Ladders: what a hand is worth, as one number.

A claim about one place names a hand. All hands that can be named stand on a ladder, lowest first, so that a claim beats
another one by standing higher, and dice make a claim by reaching its rung. Straights apart, a hand is its faces sorted
by how often they lie there; a shape says how often, and how many of them have to be named.

Source: Hoyle's poker dice (individual hand), Finska, the German hidden-dice poker, the Stanford variation, Mexican.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Final

from msgspec import Struct

from domain.rules.rules import Faces, Rungs

Value = int
"""What a die shows, counted from 0; its face is the first face of its kind plus this."""
NOTHING: Final = -1
"""The rung of dice that are worth no claim at all."""
ONE: Final = 0
"""The value that is wild, where one is."""


class Hand(Struct, frozen=True, order=True):
    """A hand as it is named: its shape, and the faces its shape calls for."""

    shape: str
    faces: tuple[int, ...] = ()


class Ladder(Struct, frozen=True, eq=False):
    """All hands of a game that can be claimed, lowest first.

    Attributes:
        hands: The hands by rung.
        rungs: The rung of each hand.
        measure: The rung that dice of these values reach, and `NOTHING` for dice worth no claim.
        shorthand: Whether faces may be left out at the end; the lowest hand that fits is meant.
    """

    hands: tuple[Hand, ...]
    rungs: dict[Hand, int]
    measure: Callable[[Sequence[Value]], int]
    shorthand: bool = False

    @property
    def top(self) -> int:
        """The highest rung."""
        return len(self.hands) - 1

    def rung_of(self, hand: Hand) -> int | None:
        """Return the rung a named hand stands for; None if there is no such hand."""
        if hand in self.rungs or not self.shorthand:
            return self.rungs.get(hand)
        # The hands ascend, so the first that fits is the lowest: "three 6s" is 6 6 6 3 2 1 (Stanford).
        return next((rung for rung, other in enumerate(self.hands) if _begins(other, hand)), None)


def _begins(hand: Hand, short: Hand) -> bool:
    return hand.shape == short.shape and hand.faces[: len(short.faces)] == short.faces


@lru_cache(maxsize=64)
def ladder_of(rungs: Rungs, dice: int, faces: Faces, *, wild: bool = False) -> Ladder:
    """Return the ladder of a game.

    Args:
        rungs: Which ladder, and how it is read.
        dice: How many dice a place holds.
        faces: What the dice show.
        wild: Whether ones count for every other face now.
    """
    namer = _NAMERS[rungs.table](_Reading(rungs, dice, faces, wild))
    # Rungs are made from all dice there can be: a hand that no dice make is on no ladder, and is refused as malformed.
    every = combinations_with_replacement(range(faces.count), dice)
    # Dice that are named alike have the same height, so the set leaves one rung for them: that is all there is to
    # kickers that are not compared.
    ordered = tuple(hand for _, hand in sorted({named for values in every for named in namer(values)}))
    index = {hand: rung for rung, hand in enumerate(ordered)}

    # The order in which dice lie names no other hand, so there are few to name: 252 of five dice.
    @lru_cache(maxsize=1_024)
    def reached(values: tuple[Value, ...]) -> int:
        # Dice may make several hands where so many of a kind are claimed; the best counts. Without any they are "worth
        # nothing and cannot be claimed" (Finska).
        return max((index[hand] for _, hand in namer(values)), default=NOTHING)

    def measure(values: Sequence[Value]) -> int:
        return reached(tuple(sorted(values)))

    return Ladder(ordered, index, measure, shorthand=rungs.shorthand)


class _Reading(Struct, frozen=True):
    """How dice are read: the ladder, how many there are, what they show, and whether ones are wild."""

    rungs: Rungs
    dice: int
    faces: Faces
    wild: bool


Named = tuple[tuple[int, ...], Hand]
"""A hand with how high it stands, as something that sorts."""
Namer = Callable[[Sequence[Value]], Iterable[Named]]
"""Tells of some values every hand they make."""


# ---- poker --------------------------------------------------------------------------------------


class HandShape(Struct, frozen=True):
    """A kind of poker hand: how often each face lies there, most first, and how many of the faces are named."""

    name: str
    pattern: tuple[int, ...]
    named: int


LOW_STRAIGHT: Final = "low_straight"
HIGH_STRAIGHT: Final = "high_straight"
STRAIGHTS: Final = (HandShape(LOW_STRAIGHT, (), 0), HandShape(HIGH_STRAIGHT, (), 0))
# "Kickers are neither named nor compared" (individual hand): each shape names its sets and no more.
HOYLE: Final = (
    HandShape("runt", (1, 1, 1, 1, 1), 0),
    HandShape("pair", (2, 1, 1, 1), 1),
    HandShape("two_pair", (2, 2, 1), 2),
    HandShape("three", (3, 1, 1), 1),
    *STRAIGHTS,
    HandShape("full_house", (3, 2), 2),
    HandShape("four", (4, 1), 1),
    HandShape("five", (5,), 1),
)
# "The fifth die counts only for four of a kind and must be named there"; what is all different and no straight has no
# shape here.
FINSKA: Final = (
    HandShape("pair", (2, 1, 1, 1), 1),
    HandShape("two_pair", (2, 2, 1), 2),
    HandShape("three", (3, 1, 1), 1),
    *STRAIGHTS,
    HandShape("full_house", (3, 2), 2),
    HandShape("four", (4, 1), 2),
    HandShape("five", (5,), 1),
)
# "All five dice are named and compared" (the German game), which makes the order strict.
GERMAN: Final = (
    HandShape("runt", (1, 1, 1, 1, 1), 5),
    HandShape("pair", (2, 1, 1, 1), 4),
    HandShape("two_pair", (2, 2, 1), 3),
    HandShape("three", (3, 1, 1), 3),
    *STRAIGHTS,
    HandShape("full_house", (3, 2), 2),
    HandShape("four", (4, 1), 2),
    HandShape("five", (5,), 1),
)
# The source's list is lost: the shapes stand in poker's order, extended to six dice. A straight is 1 to 6 only, and as
# six single faces needs no case of its own.
STANFORD: Final = (
    HandShape("pair", (2, 1, 1, 1, 1), 5),
    HandShape("two_pair", (2, 2, 1, 1), 4),
    HandShape("three_pair", (2, 2, 2), 3),
    HandShape("three", (3, 1, 1, 1), 4),
    HandShape("straight", (1, 1, 1, 1, 1, 1), 0),
    HandShape("full_house", (3, 2, 1), 3),
    HandShape("two_triplets", (3, 3), 2),
    HandShape("four", (4, 1, 1), 3),
    HandShape("four_and_pair", (4, 2), 2),
    HandShape("five", (5, 1), 2),
    HandShape("six", (6,), 1),
)


def _poker_namer(shapes: tuple[HandShape, ...]) -> Callable[[_Reading], Namer]:
    """Return the namer of hands that are told by how often their faces lie there."""
    heights = {shape.name: height for height, shape in enumerate(shapes)}
    by_pattern = {shape.pattern: shape for shape in shapes}
    straights = LOW_STRAIGHT in heights

    def namer(reading: _Reading) -> Namer:
        faces = reading.faces
        # In sets an ace may outrank all others; a straight is counted in plain order, whatever an ace is worth.
        rank = {
            value: faces.count if reading.rungs.ace_high and value == ONE else value for value in range(faces.count)
        }

        def name(values: Sequence[Value]) -> Iterable[Named]:
            lying = sorted(set(values))
            # A straight is all different as well: asked for later it would be found as a runt.
            if straights and len(lying) == reading.dice and lying[-1] - lying[0] == reading.dice - 1:
                shape = HIGH_STRAIGHT if lying[0] else LOW_STRAIGHT
                yield (heights[shape],), Hand(shape)
                return
            often = Counter(values)
            grouped = sorted(often, key=lambda value: (often[value], rank[value]), reverse=True)
            found = by_pattern.get(tuple(often[value] for value in grouped))
            if found is not None:
                named = grouped[: found.named]
                height = (heights[found.name], *(rank[value] for value in named))
                yield height, Hand(found.name, tuple(faces.first + value for value in named))

        return name

    return namer


# ---- the others ---------------------------------------------------------------------------------

OF_A_KIND: Final = ("", "single", "pair", "three", "four", "five")
"""What so many dice of a face are called, where a claim is nothing else."""


def _kinds_namer(reading: _Reading) -> Namer:
    """Return the namer of so many of a kind, ones helping while they are wild. Source: Beat This, after Liars."""
    assert reading.dice < len(OF_A_KIND)
    first, wild = reading.faces.first, reading.wild

    def name(values: Sequence[Value]) -> Iterable[Named]:
        often = Counter(values)
        # Only faces that lie there are gone through, so ones help no face without "at least one natural", and ones
        # themselves count as ones.
        for value, naturals in often.items():
            most = naturals + (often[ONE] if wild and value != ONE else 0)
            yield from (((n, value), Hand(OF_A_KIND[n], (first + value,))) for n in range(1, most + 1))

    return name


def _score(values: Iterable[Value], faces: Faces) -> Hand:
    return Hand("score", tuple(faces.first + value for value in sorted(values, reverse=True)))


def _digits_namer(reading: _Reading) -> Namer:
    """Return the namer of dice read as digits, high to low. Source: Six-Six-Six; two dice in plain order."""
    return lambda values: [(tuple(sorted(values, reverse=True)), _score(values, reading.faces))]


def _doubles_namer(reading: _Reading) -> Namer:
    """Return the namer of two dice of which doubles beat all others. Source: two-dice pass the cup."""
    return lambda values: [
        ((int(values[0] == values[1]), *sorted(values, reverse=True)), _score(values, reading.faces))
    ]


MEXICAN: Final = (2, 1)
SPECIALS: Final[dict[tuple[int, ...], str]] = {(3, 1): "social", (3, 2): "reverse", (4, 1): "impose"}
"""Throws that do something instead of counting, where their special is on. Source: Mexican."""


def _mexican_namer(reading: _Reading) -> Namer:
    """Return the namer of Mexican scores: doubles beat the others, 2-1 beats doubles, specials are worth nothing."""

    def name(values: Sequence[Value]) -> Iterable[Named]:
        hand = _score(values, reading.faces)
        # A throw whose special is on has no score; 4-1 is "the lowest score" as long as it hands out no drink.
        if SPECIALS.get(hand.faces, "") not in reading.rungs.specials:
            high, low = hand.faces
            yield (int(hand.faces == MEXICAN), int(high == low), high, low), hand

    return name


_NAMERS: Final[dict[str, Callable[[_Reading], Namer]]] = {
    "hoyle": _poker_namer(HOYLE),
    "finska": _poker_namer(FINSKA),
    "german": _poker_namer(GERMAN),
    "stanford": _poker_namer(STANFORD),
    "kinds": _kinds_namer,
    "digits": _digits_namer,
    "doubles_high": _doubles_namer,
    "mexican": _mexican_namer,
}
