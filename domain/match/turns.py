"""The turn: with which line, and when, whoever is in turn came to what there is to decide.

The law of the file: a turn begins anew where what may be decided changes, or who decides it, and nowhere else. So no
line that others write beside the game moves it, however many they write: keys, looks of theirs, time that is given, a
new host. A pause moves its time by as long as it lasts, and is no other turn.
"""

from __future__ import annotations

from typing import Final, get_args

from msgspec import Struct
from msgspec.structs import replace

from domain import events
from domain.ids import Seat, UnixMs, Version
from domain.match.pauses import Pause
from domain.table.interlude import InterludeEvent


class TurnBegun(Struct, frozen=True):
    """Since when there is to decide what there is.

    Attributes:
        version: How many lines there were then: all of the append by which it came to that.
        at: When that was, in Unix milliseconds, without what the table was held up for since.
    """

    version: Version = 1
    at: UnixMs = 0


_COURSE: Final[frozenset[type[events.BaseEvent]]] = frozenset(get_args(events.CourseEvent))
_ANEW: Final[frozenset[type[events.BaseEvent]]] = frozenset(
    {events.Started, events.DealReady, events.DealShared, events.MatchEnded}
)
_FOR_ONE: Final[frozenset[type[events.BaseEvent]]] = frozenset({events.StoodIn, events.TakenBack})


def evolve(
    begun: TurnBegun, event: events.Event, at: UnixMs, version: Version, turn: Seat | None, paused: Pause | None
) -> TurnBegun:
    """Return since when there is to decide what there is, after an event.

    Args:
        begun: Since when there was before.
        event: What has happened.
        at: When, in Unix milliseconds.
        version: How many lines there are with it.
        turn: Whose turn it was.
        paused: The pause there was, if there was one.
    """
    if paused is not None and isinstance(event, events.Resumed):
        # A turn that began in the pause has lost only what has passed of the pause since.
        return replace(begun, at=begun.at + at - max(begun.at, paused.since))
    # What follows of itself stands in the same append, which has a time of its own.
    return TurnBegun(version, at) if at == begun.at or _begins_anew(event, turn) else begun


def _begins_anew(event: events.Event, turn: Seat | None) -> bool:
    # What somebody comes to know, and who plays for somebody, makes a decision another one for that seat alone.
    kind = type(event)
    if kind in _FOR_ONE or (isinstance(event, InterludeEvent) and event.lets_know):
        return getattr(event, "seat", None) == turn
    return kind not in _COURSE or kind in _ANEW
