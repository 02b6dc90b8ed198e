"""Pauses: since when a table is held up, and until when at most.

The law of the file: all pauses of a match and all time that its host gives come out of one account, `hold_ms` of the
rules, so that every table ends without anybody's good will.
"""

from __future__ import annotations

from msgspec import Struct

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
