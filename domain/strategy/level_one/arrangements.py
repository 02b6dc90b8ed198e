"""Ways to handle dice: every lawful arrangement of some dice, told apart by what is kept, shown and rolled.

Dice that show the same are alike, and so are two arrangements after which the same faces lie hidden and open and as
many dice are rolled, hidden and in the open. The rules decide which are lawful; here they are only gone through.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from msgspec import Struct

from domain import commands
from domain.ids import Face, Seat
from domain.rules.laws import LAWS
from domain.strategy.level_one.hands import Faces
from domain.strategy.sight import open_faces
from domain.table import places
from domain.table.checks import rolls_left
from domain.table.handling import refusal_of_plan, shows_equal_dice
from domain.table.interlude import is_throwing_openly
from domain.table.places import Place
from domain.table.state import State

Result = tuple[Faces, Faces, int, int]
"""What tells two ways to handle dice apart: faces kept inside and outside, and how many dice are rolled there."""


class Arrangement(Struct, frozen=True):
    """A way to handle dice.

    Attributes:
        command: One command that leads there; of several the one that touches the fewest dice.
        inside: The faces hidden afterwards but for those rolled, ascending.
        outside: The faces that lie open afterwards but for those rolled, ascending.
        roll_inside: How many dice are rolled hidden.
        roll_outside: How many are rolled in the open.
    """

    command: commands.Arrange
    inside: Faces
    outside: Faces
    roll_inside: int
    roll_outside: int

    @property
    def result(self) -> Result:
        """What tells it from others."""
        return self.inside, self.outside, self.roll_inside, self.roll_outside

    @property
    def rolled(self) -> int:
        """How many dice are rolled."""
        return self.roll_inside + self.roll_outside

    @property
    def kept(self) -> Faces:
        """The faces of all dice that are not rolled, ascending."""
        return tuple(sorted(self.inside + self.outside))


def arrangements(state: State, seat: Seat, hidden: Sequence[Face]) -> tuple[Arrangement, ...]:
    """Return every way a seat may handle the dice of its place now, those that touch few of them first.

    Args:
        state: A game in which the seat may handle dice.
        seat: Whose turn it is.
        hidden: The faces of the hidden dice, in the holder's numbering.
    """
    place = state.place_of(seat)
    assert place is not None
    faces = (*hidden, *open_faces(place, state.rules.tokens.faces.first))
    lawful = _Lawful(state, seat, place)
    found: dict[Result, Arrangement] = {}
    for touched in sorted(_choices(state, seat, faces, len(hidden)), key=_touch_count):
        for roll_outside in _splits(state, seat, touched):
            made = _arrangement_of(seat, faces, len(hidden), touched, roll_outside)
            if made.result not in found and lawful.allows(touched, made):
                found[made.result] = made
    return tuple(found.values())


class _Touched(Struct, frozen=True, order=True):
    """The positions of dice that are shown, hidden again and rolled, each ascending."""

    shown: tuple[int, ...]
    hides: tuple[int, ...]
    rolled: tuple[int, ...]


def _touch_count(touched: _Touched) -> tuple[int, _Touched]:
    return len(touched.shown) + len(touched.hides) + len(touched.rolled), touched


class _Lawful:
    """What the rules say of plans, asked once for all that touch as many dice of each kind."""

    def __init__(self, state: State, seat: Seat, place: Place) -> None:
        self._state, self._seat, self._place = state, seat, place
        self._known: dict[tuple[int, ...], bool] = {}

    def allows(self, touched: _Touched, made: Arrangement) -> bool:
        # A law sees positions and never a value, and dice that lie alike are alike to it.
        hidden = len(self._place.inside)
        taken = sum([position >= hidden for position in touched.rolled])
        key = (len(touched.shown), len(touched.hides), len(touched.rolled), taken, made.roll_outside)
        if key not in self._known:
            self._known[key] = self._asks(made.command)
        return self._known[key]

    def _asks(self, command: commands.Arrange) -> bool:
        plan = places.plan_of(self._place, command)
        return plan is not None and refusal_of_plan(self._state, self._seat, self._place, plan) is None


def _choices(state: State, seat: Seat, faces: Sequence[Face], hidden: int) -> Iterator[_Touched]:
    """Yield what may be touched of these dice, one of those that are alike going for any other."""
    law = LAWS[state.rules.handling.law]
    openly = is_throwing_openly(state)
    rolls = rolls_left(state, seat) > 0
    shows = "outside" in law.placements and not openly
    hides = "inside" in law.placements and state.rules.handling.rehide and not openly
    groups: dict[tuple[bool, Face], list[int]] = {}
    for position, face in enumerate(faces):
        groups.setdefault((position < hidden, face), []).append(position)
    # A die is moved to the other side, rolled, or left as it is.
    fates = [
        [
            (moved, rolled)
            for moved in range(len(alike) + 1 if (shows if inside else hides) else 1)
            for rolled in range(len(alike) - moved + 1 if rolls else 1)
        ]
        for (inside, _), alike in groups.items()
    ]
    for fate in product(*fates):
        touched = _touched(list(groups.items()), fate)
        if not (shows_equal_dice(state) and len({faces[position] for position in touched.shown}) > 1):
            yield touched


def _touched(groups: list[tuple[tuple[bool, Face], list[int]]], fate: tuple[tuple[int, int], ...]) -> _Touched:
    shown: list[int] = []
    hides: list[int] = []
    rolled: list[int] = []
    for ((inside, _), alike), (moves, rolls) in zip(groups, fate, strict=True):
        (shown if inside else hides).extend(alike[:moves])
        rolled.extend(alike[moves : moves + rolls])
    return _Touched(tuple(sorted(shown)), tuple(sorted(hides)), tuple(sorted(rolled)))


def _splits(state: State, _seat: Seat, touched: _Touched) -> Iterator[int]:
    """Yield how many of the dice rolled may be rolled in the open."""
    rolled = len(touched.rolled)
    if is_throwing_openly(state):
        yield rolled
    elif "roll_outside" in LAWS[state.rules.handling.law].placements:
        yield from range(rolled + 1)
    else:
        yield 0


def _arrangement_of(
    seat: Seat, faces: Sequence[Face], hidden: int, touched: _Touched, roll_outside: int
) -> Arrangement:
    rolled = len(touched.rolled)
    indoors = rolled - roll_outside
    command = commands.Arrange(
        seat,
        outside=touched.shown,
        inside=touched.hides,
        roll_inside=touched.rolled[:indoors],
        roll_outside=touched.rolled[indoors:],
    )
    out = {*touched.shown, *range(hidden, len(faces))} - {*touched.hides, *touched.rolled}
    kept = set(range(len(faces))) - out - set(touched.rolled)
    return Arrangement(
        command,
        tuple(sorted([faces[position] for position in kept])),
        tuple(sorted([faces[position] for position in out])),
        indoors,
        roll_outside,
    )
