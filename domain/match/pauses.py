"""Pauses and other acts that cost nothing: since when a table is held up, and what is counted against a bound.

The law of the file: all pauses of a match and all time that its host gives come out of one account, `hold_ms` of the
rules, so that every table ends without anybody's good will; all that could be asked for without an end comes out of
another, `changes`, so that every record does.
"""

from __future__ import annotations

from msgspec import Struct

from domain import events
from domain.events import Reason
from domain.ids import UnixMs


class Pause(Struct, frozen=True):
    """A pause, and why there is one.

    Attributes:
        since: When it began, in Unix milliseconds.
        until: When the table goes on by itself.
    """

    since: UnixMs
    until: UnixMs
    reason: Reason


def is_change(event: events.Event) -> bool:
    """Report whether something that was asked for counts as a change of the table.

    Getting one's seat back is none: whoever has lent it has it back at any time.
    """
    asked = events.HandedOver | events.Locked | events.Unlocked | events.StoodIn
    return isinstance(event, asked) and not (isinstance(event, events.StoodIn) and event.why == "idle")
