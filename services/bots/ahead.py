"""Looking ahead: a turn of a bot thought over to the end, in a process beside those who play.

The law of the file: whoever asks gives what one seat has been shown, the chance of its turn, and nothing else. So what
is played is a function of these and of the level, wherever and however long it is worked out.
"""

from __future__ import annotations

import gc
import resource
import sys
from collections.abc import Callable
from typing import Final
from uuid import UUID

from cachetools import LRUCache
from msgspec import Struct

from domain.ids import Seat
from services.engines.levels import Thought, player_of
from services.engines.seen import SeatReading, SeenMatch
from services.work.settling import TakesTooLong, settle, within

BOTS_NICE: Final = 5
"""How far those who play come before bots that think: bots come before analyses, since they have to be in time."""
SEATS_MAX: Final = 16
"""Seats of which it is kept how far their rounds were read, in up to 2 MB at three seats and 6 MB at ten; of any other
a round is read anew, which takes twice as long."""
TURN_CPU_S: Final = 3.0
"""Seconds of a core that a turn may take. Hardly any takes one, and whoever waits in line waits for it."""
_READINGS: Final[LRUCache[tuple[UUID, Seat], SeatReading]] = LRUCache(SEATS_MAX)


class TurnAsked(Struct, frozen=True):
    """A turn that is to be thought over.

    Attributes:
        level: By which level its seat is played, and in which style.
        seen: What the seat has seen of the match, of which nothing is read yet.
        chance: What the level chooses by.
    """

    match: UUID
    level: str
    seen: SeenMatch
    chance: bytes


class Pondered(Struct, frozen=True):
    """What came of a turn.

    Attributes:
        thought: What the level does; None where it would take too long.
        bytes: The most memory this process has had.
    """

    thought: Thought | None
    bytes: int


def begin_to_think(begin: Callable[[int], None], parent: int) -> None:
    """Begin as a process that thinks for bots: settle, with all at hand that thinking takes, and clear up seldom.

    What is remembered of positions lives on; to look through all of it for what does not took a third of a turn.
    """
    settle(begin, parent, BOTS_NICE)
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 2, 500)


def think_over(asked: TurnAsked) -> Pondered:
    """Return what the level does.

    Cost: to read what is new of the round since the seat was last asked for, here, and to look one answer ahead.
    """
    seen, place = asked.seen, (asked.match, asked.seen.seat)
    # What is broken off in the middle is read anew.
    reading = _READINGS.pop(place, None)
    if reading is not None:
        seen.read_on(reading)
    try:
        with within(TURN_CPU_S):
            thought = player_of(asked.level).choose(seen, asked.chance)
    except TakesTooLong:
        return Pondered(None, _bytes())
    _READINGS[place] = seen.reading
    return Pondered(thought, _bytes())


def _bytes() -> int:
    unit = 1 if sys.platform == "darwin" else 1_024
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
