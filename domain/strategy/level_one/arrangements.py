"""Arrangements of dice: every lawful way to handle them, told apart by what is kept, shown and rolled.

Dice that show the same are alike, and so are two handlings after which the same faces lie hidden and open and as many
dice are rolled, hidden and in the open. The rules decide which are lawful; here they are only gone through: once for
all hands with as many dice alike, since no law looks at what a die shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, product
from typing import Final

from msgspec import Struct

from domain import commands
from domain.ids import Face, Seat
from domain.rules.laws import LAWS
from domain.strategy.level_one.hands import Faces
from domain.strategy.sight import open_faces
from domain.table import places
from domain.table.checks import handlings_left, may_show, rolls_left
from domain.table.handling import refusal_of_plan, shows_equal_dice
from domain.table.interlude import is_throwing_openly
from domain.table.state import State

Alike = tuple[tuple[int, int], ...]
"""Of each face that lies there, ascending, how many dice are hidden and how many open."""


Moved = tuple[tuple[int, int, int, int], ...]
"""Of each face, ascending, how many dice are shown, hidden, rolled from the hidden ones, and rolled from the open."""
NONE_MOVED: Final = (0, 0, 0, 0)
"""The same of all faces together, where no dice are there."""


FaceMoved = tuple[tuple[int, int, int, int], int, int]
"""Of one face what becomes of its dice, as of `Moved`, and how many are kept hidden and open."""


class DiceAfter(Struct, frozen=True):
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


class Arrangement(Struct, frozen=True):
    """A way to handle dice: one command for it, of several one that touches the fewest dice, and its result."""

    command: commands.Arrange
    result: DiceAfter


class Kept(Struct, frozen=True):
    """What is kept by a way to handle dice, and the splits of the other dice between those rolled hidden and openly.

    Attributes:
        inside: The faces hidden afterwards but for those rolled, ascending.
        outside: The faces that lie open afterwards but for those rolled, ascending.
        rolled: How many dice are rolled.
        splits: How many of them may be rolled in the open.
        moved: Of each face, ascending, how many dice are shown, hidden, rolled from the hidden ones and from the open.
    """

    inside: Faces
    outside: Faces
    rolled: int
    splits: tuple[int, ...]
    moved: Moved

    def result(self, roll_outside: int) -> DiceAfter:
        """Return what comes of it if so many dice are rolled in the open."""
        return DiceAfter(self.inside, self.outside, self.rolled - roll_outside, roll_outside)


class Fate(Struct, frozen=True):
    """What may become of dice, whatever they show: faces are told by their places among those that lie there.

    Attributes:
        inside: Of `Kept`, as places.
        outside: The same.
        rolled: How many dice are rolled.
        splits: How many of them may be rolled in the open.
        moved: As of `Kept`.
    """

    inside: Faces
    outside: Faces
    rolled: int
    splits: tuple[int, ...]
    moved: Moved


class Fates(Struct, frozen=True):
    """All that may become of so many dice alike, those fates first for which few are touched.

    Attributes:
        every: The fates.
        known: What may be kept, hidden and open, ascending, each once.
        open: What of it may lie open, each once.
        parts: Of each fate, the place in `known` of all that is kept, in `open` of what lies open, and how many splits.
    """

    every: tuple[Fate, ...]
    known: tuple[Faces, ...]
    open: tuple[Faces, ...]
    parts: tuple[tuple[int, int, int], ...]


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
        # All that the law of a handling is told of a position.
        self._position = (
            state.rules.handling,
            self._openly,
            rolls_left(state, seat),
            handlings_left(state, seat),
            may_show(state, place),
            state.round.shown,
            len(place.inside),
        )

    def kept(self, hidden: Sequence[Face]) -> Iterator[Kept]:
        """Yield what may be kept, each once, those first for which few dice are touched."""
        faces = sorted({*hidden, *self.open})
        for fate in self.fates(hidden).every:
            inside = tuple([faces[at] for at in fate.inside])
            yield Kept(inside, tuple([faces[at] for at in fate.outside]), fate.rolled, fate.splits, fate.moved)

    def fates(self, hidden: Sequence[Face]) -> Fates:
        """Return what may become of these dice. Cost: remembered for all hands with as many dice alike."""
        alike = tuple([(hidden.count(face), self.open.count(face)) for face in sorted({*hidden, *self.open})])
        key = (*self._position, alike)
        found = _FATES.get(key)
        if found is None:
            if len(_FATES) >= FATES_MAX:
                _FATES.clear()
                _LAWFUL.clear()
            found = _FATES[key] = _fates(self._find(alike))
        return found

    def lying(self, hidden: Sequence[Face]) -> tuple[object, ...]:
        """Return all that what may be kept of these dice hangs on."""
        return self._position, tuple(sorted(hidden)), tuple(sorted(self.open))

    def results(self, hidden: Sequence[Face]) -> Iterator[DiceAfter]:
        """Yield what may come of these dice, each once."""
        for kept in self.kept(hidden):
            yield from [kept.result(split) for split in kept.splits]

    def arrangements(self, hidden: Sequence[Face]) -> Iterator[Arrangement]:
        """Yield every way to handle these dice; `hidden` stand in the holder's numbering."""
        for kept in self.kept(hidden):
            for roll_outside in kept.splits:
                yield Arrangement(self.command(hidden, kept.moved, roll_outside), kept.result(roll_outside))

    def command(self, hidden: Sequence[Face], moved: Moved, roll_outside: int) -> commands.Arrange:
        """Return the command that touches the first dice of each face."""
        return self._command((*hidden, *self.open), sorted({*hidden, *self.open}), moved, roll_outside)

    def _find(self, alike: Alike) -> Iterator[Fate]:
        seen: dict[tuple[Faces, Faces], tuple[int, ...]] = {}
        known = _LAWFUL.setdefault(self._position, {})
        for _, moved, inside, outside in sorted(self._moves(alike)):
            # A law sees positions and never a value, and dice that lie alike are alike to it.
            # Of dice that nobody opened none is moved.
            taken = tuple(map(sum, zip(*moved, strict=True))) or NONE_MOVED
            lawful = known.get(taken)
            if lawful is None:
                lawful = known[taken] = self._lawful(alike, moved, taken[2] + taken[3])
            before = seen.get((inside, outside), ())
            splits = tuple([split for split in lawful if split not in before]) if before else lawful
            if splits:
                seen[inside, outside] = before + splits
                yield Fate(inside, outside, taken[2] + taken[3], splits, moved)

    def _lawful(self, alike: Alike, moved: Moved, rolled: int) -> tuple[int, ...]:
        """Return how many of the dice that are rolled the law lets be rolled in the open."""
        faces = [at for at, (inside, _) in enumerate(alike) for _ in range(inside)]
        faces += [at for at, (_, outside) in enumerate(alike) for _ in range(outside)]
        found = []
        for split in self._splits(rolled):
            plan = places.plan_of(self.place, self._command(faces, range(len(alike)), moved, split))
            if plan is not None and refusal_of_plan(self.state, self.seat, self.place, plan) is None:
                found.append(split)
        return tuple(found)

    def _moves(self, alike: Alike) -> Iterator[tuple[int, Moved, Faces, Faces]]:
        """Yield what may become of dice: each is moved to the other side, rolled, or left as it is.

        It stands between how many are touched and what is kept by it, hidden and open.
        """
        law = LAWS[self.state.rules.handling.law]
        shows = "outside" in law.placements and not self._openly
        hides = "inside" in law.placements and self.state.rules.handling.rehide and not self._openly
        alone = shows_equal_dice(self.state)
        each = [
            [(moved, (at,) * inside, (at,) * outside) for moved, inside, outside in sides]
            for at, sides in enumerate([_sides(*lying, shows, hides, self._rolls) for lying in alike])
        ]
        for chosen in product(*each):
            moved = tuple([side for side, _, _ in chosen])
            if alone and sum([shown > 0 for shown, _, _, _ in moved]) > 1:
                continue
            inside = tuple(chain.from_iterable([kept for _, kept, _ in chosen]))
            outside = tuple(chain.from_iterable([kept for _, _, kept in chosen]))
            yield sum(map(sum, moved)), moved, inside, outside

    def _splits(self, rolled: int) -> range:
        """Return how many of the dice that are rolled may be rolled in the open."""
        if self._openly:
            return range(rolled, rolled + 1)
        outdoors = "roll_outside" in LAWS[self.state.rules.handling.law].placements
        return range((rolled if outdoors else 0) + 1)

    def _command(
        self, faces: Sequence[Face], lying: Sequence[Face], moved: Moved, roll_outside: int
    ) -> commands.Arrange:
        """Return a command that touches the first dice of each face, by positions in the holder's numbering."""
        hidden = len(self.place.inside)
        shown: list[int] = []
        hides: list[int] = []
        rolled: list[int] = []
        for face, (shows, goes_in, rolls, taken) in zip(lying, moved, strict=True):
            inside = [at for at in range(hidden) if faces[at] == face]
            outside = [at for at in range(hidden, len(faces)) if faces[at] == face]
            shown += inside[:shows]
            hides += outside[:goes_in]
            rolled += inside[shows : shows + rolls] + outside[goes_in : goes_in + taken]
        rolled.sort()
        indoors = len(rolled) - roll_outside
        return commands.Arrange(
            self.seat,
            outside=tuple(sorted(shown)),
            inside=tuple(sorted(hides)),
            roll_inside=tuple(rolled[:indoors]),
            roll_outside=tuple(rolled[indoors:]),
        )


FATES_MAX: Final = 4_096
"""How many positions are remembered before all are forgotten; a game has a few hundred at most."""
_FATES: Final[dict[tuple[object, ...], Fates]] = {}
"""What may become of so many dice alike, by all that a law is told of the position."""

_LAWFUL: Final[dict[tuple[object, ...], dict[tuple[int, ...], tuple[int, ...]]]] = {}
"""How many dice may be rolled in the open where as many are shown, hidden and rolled, from either side, by the same."""


def _fates(found: Iterable[Fate]) -> Fates:
    """Return fates with the parts that many of them share, each once."""
    known: dict[Faces, int] = {}
    shown: dict[Faces, int] = {}
    every = tuple(found)
    parts = [
        (
            known.setdefault(tuple(sorted(fate.inside + fate.outside)), len(known)),
            shown.setdefault(fate.outside, len(shown)),
            len(fate.splits),
        )
        for fate in every
    ]
    return Fates(every, tuple(known), tuple(shown), tuple(parts))


@lru_cache(maxsize=1_024)
def _sides(hidden: int, seen: int, shows: bool, hides: bool, rolls: bool) -> tuple[FaceMoved, ...]:  # noqa: FBT001  part of the key
    """Return what may become of the dice of one face."""
    return tuple(
        [
            ((shown, taken_up, rolled, taken), hidden - shown - rolled + taken_up, seen - taken_up - taken + shown)
            for (shown, rolled), (taken_up, taken) in product(_side(hidden, shows, rolls), _side(seen, hides, rolls))
        ]
    )


def _side(dice: int, moves: bool, rolls: bool) -> list[tuple[int, int]]:  # noqa: FBT001  facts of the side
    """Return how many dice of a side may be moved to the other one, and how many rolled."""
    most = dice if moves else 0
    return [(moved, rolled) for moved in range(most + 1) for rolled in range((dice - moved if rolls else 0) + 1)]
