"""Blanks behind what a seat is sent, so that how long it is tells nobody who sees it pass by what dice are in it.

TLS hides what is sent, and not how much; proxies write lengths down. The law of the file: the length of whatever a seat
is sent follows from what everybody knows. Every number that hangs on hidden dice is given the room of the widest it
could be; what it leaves of that room stands behind the document as blanks, which every reader of JSON passes over.

    {"version":12, ... "dice":[{"face":9, ... {"face":10, ...}       one blank behind it
    {"version":12, ... "dice":[{"face":9, ... {"face":9, ...}        two
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from domain import events
from domain.audit import access
from domain.fairness.deal import leaf_of
from domain.fairness.sampling import MODULUS_MAX
from domain.ids import RollNumber
from domain.log import merkle
from domain.match.ceremony import Ceremony
from domain.table.places import Place
from projections.view import View

DIGEST: Final = "0" * 64
"""As long as every hash and key in an opening."""
VALUE_MAX: Final = MODULUS_MAX - 1
"""The widest value at any address."""


def blanks_of(view: View) -> bytes:
    """Return what stands behind a view: blanks in the place of digits that its viewer's hidden dice do not take."""
    first, faces = view.faces
    widest = _width(first + faces - 1)
    dice = (*view.cup, *(die for seat in view.seats for die in seat.dice))
    known = [die for die in dice if die.face is not None and not die.shown]
    # `true` is a letter shorter than `false`.
    return b" " * sum(widest - _width(die.face or 0) + die.cocked for die in known)


def encode_view(view: View) -> bytes:
    """Return a view as JSON, as long as it would be with any other dice under the viewer's cup."""
    return msgspec.json.encode(view) + blanks_of(view)


def encode_openings(openings: Sequence[events.Event], place: Place, deal: Ceremony) -> bytes:
    """Return the openings of a place's hidden dice as JSON, as long as they would be with any other dice there.

    Args:
        openings: All of them, with the choices that led to them, as `judging.lifted` yields them.
        place: Where the dice lie.
        deal: The deal they are of.

    How many rolls are opened hangs on which dice a holder kept, where that is sealed (CUP/1 section 4.12). So there is
    room for each roll that some of the dice may have come from, and for all slots in one of them.
    """
    body = msgspec.json.encode(openings)
    if not openings:
        return body
    room = len(msgspec.json.encode(_longest_openings(place, deal)))
    assert len(body) <= room, "there is room for any dice that may lie there"
    return body.ljust(room)


def encode_unshown_openings(openings: Iterable[events.Revealed]) -> bytes:
    """Return the openings of folded dice as JSON, as long as they would be with any other dice folded.

    Which rolls and slots they are of is public; what their dice show is not.
    """
    told = [events.data_of(opening) for opening in openings]
    room = sum(_width(VALUE_MAX) - _width(value) for opening in told for _, value in opening["values"])
    return msgspec.json.encode(told) + b" " * room


def _longest_openings(place: Place, deal: Ceremony) -> list[events.Event]:
    """Return openings longer than any there could be, made of what everybody knows."""
    sealed = [event for event in place.handled if event.choice is not None and event.roll is not None]
    rolls = {*access.rolls_of(place), *(event.roll for event in sealed if event.roll is not None)}
    slots, position = len(place.inside) + len(sealed), len(place.dice)
    width = next(cup.width for cup in deal.cups if cup.id == place.cup)
    found: list[events.Event] = [_blank_opening(place, deal, roll, width) for roll in sorted(rolls)]
    most = ((width, DIGEST),) * slots, ((width, VALUE_MAX),) * slots
    found.append(events.Revealed(deal.deal, place.cup, max(rolls), (), (), *most))
    if sealed:
        choices = (_blank_choice(event, position) for event in sealed)
        found.append(events.ChoicesRevealed(place.cup, tuple(choices)))
    return found


def _blank_opening(place: Place, deal: Ceremony, roll: RollNumber, width: int) -> events.Revealed:
    """Return an opening as long as that of a roll, but for its slots."""
    index, size = leaf_of(deal.cups, place.cup, roll)
    path = len(merkle.inclusion_spans(size, index))
    return events.Revealed(deal.deal, place.cup, roll, (DIGEST,) * width, (DIGEST,) * path, (), ())


def _blank_choice(event: events.Arranged, position: int) -> events.Choice:
    """Return a choice as long as any that an event may stand for; how many dice it took is public."""
    assert event.roll is not None, "what is sealed led to a roll"
    inside, outside = (position,) * event.roll_inside, (position,) * event.roll_outside
    return events.Choice(event.roll, inside, outside, (position,) * len(event.outside))


def _width(number: int) -> int:
    return len(str(number))
