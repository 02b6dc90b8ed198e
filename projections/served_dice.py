"""Hidden dice that leave with a view, told from what the view shows, not from what it should."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from domain import events
from domain.audit import access
from domain.audit.access import Served
from domain.ids import Seat
from domain.match.evolve import Match
from domain.table.state import PASSED_CUP
from projections.view import View


def dice_of_view(match: Match, view: View) -> Iterator[Served]:
    """Yield the hidden dice that whoever gets this view comes to know.

    Args:
        match: The match at the version of the view.
        view: What is about to leave.
    """
    cups = {PASSED_CUP: view.cup, **{seat.seat: seat.dice for seat in view.seats}}
    known = {cup for cup, dice in cups.items() if any(die.face is not None and not die.shown for die in dice)}
    for deal, cup, roll, slots in access.hidden_rolls(match) if known else ():
        if cup in known:
            yield Served(access.viewer_of(view.viewer), deal, cup, roll, slots, match.version)


def dice_of_openings(match: Match, seat: Seat, openings: Iterable[events.Event]) -> Iterator[Served]:
    """Yield the hidden dice that these openings prove to a seat; where only a blind slot is opened, there are none."""
    lying = {(deal, cup, roll): slots for deal, cup, roll, slots in access.hidden_rolls(match)}
    for event in openings:
        if isinstance(event, events.Revealed):
            slots = lying.get((event.deal, event.cup, event.roll))
            if slots is not None:
                yield Served(access.viewer_of(seat), event.deal, event.cup, event.roll, slots, match.version)
