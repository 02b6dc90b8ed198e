"""Sight: what one seat goes by, its own hidden dice among it, whether they are really its own or only imagined.

Whoever plays puts in the dice of the seat's own frame. Whoever reads puts in one hand after the other and asks what the
seat would have done with it: the same function answers both, so that nobody is read otherwise than he would play.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from domain.ids import CupId, Face, Seat
from domain.table.places import Place
from domain.table.state import State


class Sight(Struct, frozen=True):
    """What a seat sees.

    Attributes:
        state: The game, as everybody may know it.
        seat: Whose sight it is.
        dice: The faces of the hidden dice it knows, by cup, in the order of `place.inside`; no entry where it knows
            none.
        cocked: Whether it has seen that some of its dice lie cocked.
    """

    state: State
    seat: Seat
    dice: Mapping[CupId, tuple[Face, ...]] = {}
    cocked: bool = False

    @property
    def shown(self) -> tuple[Face, ...]:
        """The faces everybody sees, in the order of places and dice."""
        return shown_faces(self.state)

    @property
    def known(self) -> tuple[Face, ...]:
        """The faces of hidden dice that the seat knows, in the order of places and dice."""
        return tuple([face for cup in self.state.places for face in self.dice.get(cup, ())])


def shown_faces(state: State) -> tuple[Face, ...]:
    """Return the faces that lie open, in the order of places and dice."""
    first = state.rules.tokens.faces.first
    return tuple([face for place in state.places.values() for face in open_faces(place, first)])


def open_faces(place: Place, first: Face) -> tuple[Face, ...]:
    """Return the open faces of a place, in their order; `first` is the lowest face of a token."""
    return tuple([die.value + first for die in place.outside if die.value is not None])
