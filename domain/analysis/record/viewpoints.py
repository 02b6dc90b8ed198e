"""Viewpoints: what the public, each seat, and whoever lifts all cups know of the dice at an event.

The law of the file: what a seat could know never depends on what lay under other cups. Where the record does not open
the dice that a seat knew, what it could know is not told, and never taken for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Final, Protocol

from msgspec import Struct

from domain import events
from domain.ids import CupId, Face, Seat
from domain.match.evolve import Match
from domain.strategy.knowledge import NOTHING, Knowledge, knowledge_after, known_all
from domain.table.places import Place
from domain.table.state import State


class OpenedDice(Protocol):
    """Where hidden dice are asked for, such as `domain.analysis.record.dice.RecordDice`."""

    def hidden(self, match: Match, place: Place) -> tuple[Face, ...] | None:
        """Return the faces of the hidden dice of a place, in the holder's numbering; None where they are not open."""


class Viewpoints(Struct, frozen=True):
    """What everybody knows of the hidden dice on the table.

    Attributes:
        dice: The faces of hidden dice that the record opens, by cup, in the holder's numbering.
        knowledge: What each seat knows.
        untold: The cups each seat has known hidden dice of that the record does not open.
    """

    dice: Mapping[CupId, tuple[Face, ...]] = {}
    knowledge: Mapping[Seat, Knowledge] = {}
    untold: Mapping[Seat, frozenset[CupId]] = {}

    def of(self, seat: Seat, cups: frozenset[CupId]) -> Knowledge | None:
        """Return what a seat knows, where these cups matter; None where the record does not open what it knew."""
        return None if cups & self.untold.get(seat, frozenset()) else self.knowledge.get(seat, NOTHING)

    def all(self, cups: frozenset[CupId], state: State) -> Mapping[CupId, tuple[Face, ...]] | None:
        """Return the faces of all hidden dice of these cups; None where the record does not open some of them."""
        opened = all(cup in self.dice for cup in cups if state.places[cup].inside)
        return {cup: self.dice.get(cup, ()) for cup in cups} if opened else None


def viewpoints_after(
    views: Viewpoints, before: Match, event: events.Event, after: Match, record: OpenedDice
) -> Viewpoints:
    """Return the viewpoints after an event of a match that has begun.

    Cost: next to nothing where no dice move; else a look at each place, and for each seat that knows one of those that
    changed, what it can conclude.
    """
    old, new = before.table, after.table
    if new is None or old is None or new.places is old.places:
        return views
    touched = {cup for cup in old.places.keys() | new.places.keys() if old.places.get(cup) is not new.places.get(cup)}
    dice = _dice_after(views, new, touched, partial(record.hidden, after))
    seen = {cup: known_all(dice[cup], new.rolls.get(cup, 0) - 1) for cup in touched if cup in dice}
    knowers = {seat for cup in touched if cup in new.places for seat in new.places[cup].knowers}
    knowledge, untold = {**views.knowledge}, {**views.untold}
    for seat in new.seats:
        known, unsaid = knowledge.get(seat, NOTHING), untold.get(seat, _NONE)
        if seat not in knowers and touched.isdisjoint(known) and touched.isdisjoint(unsaid):
            continue
        knowledge[seat] = knowledge_after(known, seat, old, event, new, seen)
        untold[seat] = _untold_after(unsaid, seat, old, new, touched, dice)
    return Viewpoints(dice, knowledge, untold)


_NONE: Final[frozenset[CupId]] = frozenset()


def _dice_after(
    views: Viewpoints, new: State, touched: Collection[CupId], hidden: Callable[[Place], tuple[Face, ...] | None]
) -> dict[CupId, tuple[Face, ...]]:
    found: dict[CupId, tuple[Face, ...]] = {}
    for cup, place in new.places.items():
        faces = hidden(place) if cup in touched else views.dice.get(cup)
        if faces is not None:
            found[cup] = faces
    return found


def _untold_after(
    unsaid: frozenset[CupId],
    seat: Seat,
    old: State,
    new: State,
    touched: Collection[CupId],
    dice: Mapping[CupId, tuple[Face, ...]],
) -> frozenset[CupId]:
    """Return the cups whose dice a seat sees, or saw before they were handled, and the record does not open."""
    found = {cup for cup in unsaid if cup not in touched}
    for cup in touched:
        place = new.places.get(cup)
        if place is None:
            continue
        sees = seat in place.knowers
        still = cup in unsaid and cup in old.places and old.places[cup].laid == place.laid
        if (sees and cup not in dice) or (still and not sees):
            found.add(cup)
    return frozenset(found)
