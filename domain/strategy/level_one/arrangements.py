"""Arrangements of dice: every lawful way to handle them, told apart by what is kept, shown and rolled.

Dice that show the same are alike, and so are two handlings after which the same faces lie hidden and open and as many
dice are rolled, hidden and in the open. The rules decide which are lawful; here they are only gone through: once for
all hands with as many dice alike, since no law looks at what a die shows.
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
from domain.table.state import State

Alike = tuple[tuple[int, int], ...]
"""Of each face that lies there, ascending, how many dice are hidden and how many open."""


class Result(Struct, frozen=True):
    """What tells two ways to handle dice apart.

    Attributes:
        inside: The faces hidden afterwards but for those rolled, ascending.
        outside: The faces that lie open afterwards but for those rolled, ascending.
        roll_inside: How many dice are rolled hidden.
        roll_outside: How many are rolled in the open.
    """

    inside: Faces
    outside: Faces
    roll_inside: int
    roll_outside: int

    @property
    def rolled(self) -> int:
        """How many dice are rolled."""
        return self.roll_inside + self.roll_outside

    @property
    def kept(self) -> Faces:
        """The faces of all dice that are not rolled, ascending."""
        return tuple(sorted(self.inside + self.outside))


class Arrangement(Struct, frozen=True):
    """A way to handle dice: one command for it, of several one that touches the fewest dice, and its result."""

    command: commands.Arrange
    result: Result


class _Fate(Struct, frozen=True, order=True):
    """What becomes of the dice of each face: how many are touched, and which.

    Attributes:
        touched: How many dice are shown, hidden or rolled.
        faces: Of each face how many are shown, hidden, rolled from the hidden ones, and rolled from the open ones.
        roll_outside: How many of those rolled are rolled in the open.
    """

    touched: int
    faces: tuple[tuple[int, int, int, int], ...]
    roll_outside: int


class Arranger:
    """All ways in which one seat may handle the dice of its place in one position, whatever they show."""

    def __init__(self, state: State, seat: Seat) -> None:
        """Look at a game in which this seat may handle dice now."""
        place = state.place_of(seat)
        assert place is not None
        self.state, self.seat, self.place = state, seat, place
        self.open = open_faces(place, state.rules.tokens.faces.first)
        self._openly = is_throwing_openly(state)
        self._rolls = rolls_left(state, seat) > 0
        self._fates: dict[Alike, tuple[_Fate, ...]] = {}

    def results(self, hidden: Faces) -> Iterator[Result]:
        """Yield the result of every way, each once; `hidden` are the faces of the hidden dice, in any order."""
        lying = sorted({*hidden, *self.open})
        alike = self._alike(hidden, lying)
        for fate in self._lawful(alike):
            yield _result(lying, alike, fate)

    def arrangements(self, hidden: Sequence[Face]) -> Iterator[Arrangement]:
        """Yield every way, those first that touch few dice; `hidden` stand in the holder's numbering."""
        faces = (*hidden, *self.open)
        lying = sorted({*faces})
        alike = self._alike(hidden, lying)
        for fate in self._lawful(alike):
            yield Arrangement(self._command(faces, lying, fate), _result(lying, alike, fate))

    def _alike(self, hidden: Sequence[Face], lying: Sequence[Face]) -> Alike:
        return tuple([(hidden.count(face), self.open.count(face)) for face in lying])

    def _lawful(self, alike: Alike) -> tuple[_Fate, ...]:
        found = self._fates.get(alike)
        if found is None:
            found = self._fates[alike] = tuple(self._find(alike))
        return found

    def _find(self, alike: Alike) -> Iterator[_Fate]:
        # Any dice will do to ask the rules by, as long as as many of them are alike.
        faces = [at for at, (inside, _) in enumerate(alike) for _ in range(inside)]
        faces += [at for at, (_, outside) in enumerate(alike) for _ in range(outside)]
        lying = list(range(len(alike)))
        seen: set[Result] = set()
        known: dict[tuple[int, ...], bool] = {}
        for fate in sorted(self._fates_of(alike)):
            result = _result(lying, alike, fate)
            # A law sees positions and never a value, and dice that lie alike are alike to it.
            key = (*[sum(each) for each in zip(*fate.faces, strict=True)], fate.roll_outside)
            if result not in seen:
                if key not in known:
                    known[key] = self._allows(self._command(faces, lying, fate))
                if known[key]:
                    seen.add(result)
                    yield fate

    def _allows(self, command: commands.Arrange) -> bool:
        plan = places.plan_of(self.place, command)
        return plan is not None and refusal_of_plan(self.state, self.seat, self.place, plan) is None

    def _fates_of(self, alike: Alike) -> Iterator[_Fate]:
        """Yield what may become of dice: each is moved to the other side, rolled, or left as it is."""
        law = LAWS[self.state.rules.handling.law]
        shows = "outside" in law.placements and not self._openly
        hides = "inside" in law.placements and self.state.rules.handling.rehide and not self._openly
        each = [
            [(*sides[0], *sides[1]) for sides in product(self._side(hidden, shows), self._side(seen, hides))]
            for hidden, seen in alike
        ]
        for chosen in product(*each):
            faces = tuple([(shown, hidden, rolled, taken) for shown, rolled, hidden, taken in chosen])
            if not (shows_equal_dice(self.state) and sum([shown > 0 for shown, _, _, _ in faces]) > 1):
                rolled = sum([indoors + taken for _, _, indoors, taken in faces])
                touched = rolled + sum([shown + hidden for shown, hidden, _, _ in faces])
                yield from [_Fate(touched, faces, outdoors) for outdoors in self._splits(rolled)]

    def _side(self, dice: int, moves: bool) -> list[tuple[int, int]]:  # noqa: FBT001  a fact of the side
        """Return how many dice of a side may be moved to the other one, and how many rolled."""
        most = dice if moves else 0
        return [
            (moved, rolled) for moved in range(most + 1) for rolled in range((dice - moved if self._rolls else 0) + 1)
        ]

    def _splits(self, rolled: int) -> range:
        """Return how many of the dice that are rolled may be rolled in the open."""
        if self._openly:
            return range(rolled, rolled + 1)
        outdoors = "roll_outside" in LAWS[self.state.rules.handling.law].placements
        return range((rolled if outdoors else 0) + 1)

    def _command(self, faces: Sequence[Face], lying: Sequence[Face], fate: _Fate) -> commands.Arrange:
        """Return a command that touches the first dice of each face, by positions in the holder's numbering."""
        hidden = len(self.place.inside)
        shown: list[int] = []
        hides: list[int] = []
        rolled: list[int] = []
        for face, (shows, goes_in, rolls, taken) in zip(lying, fate.faces, strict=True):
            inside = [at for at in range(hidden) if faces[at] == face]
            outside = [at for at in range(hidden, len(faces)) if faces[at] == face]
            shown += inside[:shows]
            hides += outside[:goes_in]
            rolled += inside[shows : shows + rolls] + outside[goes_in : goes_in + taken]
        rolled.sort()
        indoors = len(rolled) - fate.roll_outside
        return commands.Arrange(
            self.seat,
            outside=tuple(sorted(shown)),
            inside=tuple(sorted(hides)),
            roll_inside=tuple(rolled[:indoors]),
            roll_outside=tuple(rolled[indoors:]),
        )


def _result(lying: Sequence[Face], alike: Alike, fate: _Fate) -> Result:
    inside: list[Face] = []
    outside: list[Face] = []
    rolled = 0
    for face, (hidden, seen), (shows, hides, rolls, taken) in zip(lying, alike, fate.faces, strict=True):
        inside += [face] * (hidden - shows - rolls + hides)
        outside += [face] * (seen - hides - taken + shows)
        rolled += rolls + taken
    return Result(tuple(inside), tuple(outside), rolled - fate.roll_outside, fate.roll_outside)
