"""Bounds of the interface: how much one client, and all of them, may ask for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from services.http.front.rates import Rate

DEAR: Final = Rate(200, 10)
PHRASES: Final = Rate(4, 8)


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much the interface takes before it says no.

    Attributes:
        writes_per_s: Commands a second for one token, and for one address that shows none.
        phrases: Quick phrases of one seat: four at once, and another every two seconds.
        audits_per_s: Audits a second for one address.
        audits_at_once: Audits under way in this process; each holds a thread.
        dear: Dear reads of one network: a hall of people may ask for a replay at once, and 20 a second go on.
        dear_at_once: How many of those are worked at; a slow reader holds one while it reads.
        dear_waiting_max: How many wait for their turn.
        dear_wait_s: How long they do.
        streams_max: Streams open in this process; a quiet one takes 16 KiB. A quarter of them is for seats alone.
        streams_of_network_max: Streams open to one network: a hall of people behind one address.
        beat_s: Silence after which a stream says that it is alive. Readers give a line up after a little more than two
            of them, which is how soon a player knows of a line that was lost without a word.
        write_s: How long one write to a reader may take before the stream is closed.
    """

    writes_per_s: int = 50
    phrases: Rate = PHRASES
    audits_per_s: int = 5
    audits_at_once: int = 2
    dear: Rate = DEAR
    dear_at_once: int = 4
    dear_waiting_max: int = 64
    dear_wait_s: float = 10.0
    streams_max: int = 7_000
    streams_of_network_max: int = 500
    beat_s: float = 5.0
    write_s: float = 30.0
