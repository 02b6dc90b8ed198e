"""Plates: the seats of a match as they lie on a picture card, and all of the card, before it is drawn or painted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from projections.view import DieView, View
from services.web.people import called
from services.words.catalogue import CATALOGUE, say

WIDE: Final = 1_200
HIGH: Final = 630
"""Pixels: what those who show links to others make room for."""
NAME_MAX: Final = 16
ACROSS: Final = 4
"""Plates side by side."""
_LOW, _MIDDLE, _HIGH = 11.5, 20.0, 28.5
_CORNERS: Final = ((_LOW, _LOW), (_HIGH, _HIGH), (_HIGH, _LOW), (_LOW, _HIGH))
_SIDES: Final = ((_LOW, _MIDDLE), (_HIGH, _MIDDLE))
_LETTERS: Final = {11: "J", 12: "Q", 13: "K", 14: "A"}


class DrawnDie(Struct, frozen=True):
    """A die on a card: where it lies, its pips, or its sign in place of them."""

    x: float
    scale: float
    hidden: bool
    pips: tuple[tuple[float, float], ...] = ()
    sign: str = ""


class Plate(Struct, frozen=True):
    """A seat on a card.

    Attributes:
        place: Which seat it is, in words: what stands there if the name cannot be painted.
    """

    x: int
    y: int
    name: str
    place: str
    marked: bool
    dice: tuple[DrawnDie, ...]


class PassedCup(Struct, frozen=True):
    """The cup that is passed on, on a card: where it lies, how large, and its dice, whose places are within it."""

    x: float
    y: float
    wide: float
    scale: float
    dice: tuple[DrawnDie, ...]


class PictureCard(Struct, frozen=True):
    """What a picture card shows.

    Attributes:
        title: What the table is called, or whose it is.
        line: The game, and the round.
        told: The claim to beat; else what people wait for, or who has won.
        cup: In games that pass one on.
    """

    title: str
    line: str
    told: str
    plates: tuple[Plate, ...]
    cup: PassedCup | None = None


def plates_of(view: View) -> Iterator[Plate]:
    """Yield the seats of a view as they lie on a card, in rows."""
    rows = -(-len(view.seats) // ACROSS)
    for at, seat in enumerate(view.seats):
        row, column = divmod(at, ACROSS)
        here = min(ACROSS, len(view.seats) - row * ACROSS)
        left = (WIDE - here * 280 + 20) // 2
        whole = called(seat)
        name = whole if len(whole) <= NAME_MAX else f"{whole[: NAME_MAX - 1]}\N{HORIZONTAL ELLIPSIS}"
        marked = seat.seat in {view.turn, view.winner}
        y = 606 - rows * 126 + row * 126
        place = say(CATALOGUE["people"]["seat"], {"seat": str(seat.seat)})
        yield Plate(left + column * 280, y, name, place, marked, tuple(_dice(seat.dice, view.faces)))


def cup_of(view: View) -> PassedCup | None:
    """Return the cup that is passed on as it lies on a card: below the claim, or in a corner if seats fill the card."""
    if not view.cup:
        return None
    dice = tuple(_dice(view.cup, view.faces))
    wide = dice[-1].x + 40 * dice[-1].scale + 15
    if len(view.seats) <= 2 * ACROSS:
        return PassedCup((WIDE - wide) / 2, 236, wide, 1, dice)
    return PassedCup(WIDE - 24 - wide / 2, 48, wide, 0.5, dice)


def _dice(dice: tuple[DieView, ...], faces: tuple[int, int]) -> Iterator[DrawnDie]:
    scale = min(1.0, 230 / max(1, 44 * len(dice)))
    for place, die in enumerate(dice):
        x = 15 + 44 * scale * place
        if die.face is None:
            yield DrawnDie(x, scale, hidden=True, sign="?")
        elif faces[0] == 1 and die.face in range(1, 7):
            yield DrawnDie(x, scale, hidden=False, pips=tuple(_pips(die.face)))
        else:
            yield DrawnDie(x, scale, hidden=False, sign=_LETTERS.get(die.face, str(die.face)))


def _pips(face: int) -> Iterator[tuple[float, float]]:
    if face % 2:
        yield _MIDDLE, _MIDDLE
    yield from _CORNERS[: face - face % 2]
    if face == max(range(1, 7)):
        yield from _SIDES
