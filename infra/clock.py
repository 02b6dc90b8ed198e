"""The one place that learns the time: Unix time that does not go back, and ticks for durations.

A wall clock may be set back, or stand an hour ahead on another machine. What has happened is stamped and compared by
`now_ms`, which goes on from what it has said: where the wall clock is behind that, it goes a little slower until the
two meet, as a clock is slewed (adjtime). Where the wall clock is ahead, however far, it is believed at once; who keeps
time for others asks whether it has leapt (`services.matches.heart`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

MS: Final = 1_000_000
"""Nanoseconds in a millisecond."""
SLOWER: Final = 16
"""While it is ahead of the wall clock, a clock loses one part of so many: an hour takes 16 to be made up, and whoever
is granted three minutes gets 12 seconds more."""


class Clock:
    """Unix time that does not go back.

    It stands on two clocks that count nanoseconds: one that people set, and one that only goes forward.
    """

    def __init__(
        self, wall_ns: Callable[[], int] = time.time_ns, ticks_ns: Callable[[], int] = time.monotonic_ns
    ) -> None:
        """Begin with what the wall clock says."""
        self._wall_ns = wall_ns
        self._ticks_ns = ticks_ns
        self._anchor = (wall_ns(), ticks_ns())

    def now_ms(self) -> int:
        """Return Unix time in milliseconds: never less than before."""
        wall, ticks = self._wall_ns(), self._ticks_ns()
        held = self._held_ns(ticks)
        if wall >= held:
            self._anchor = (wall, ticks)
        return max(wall, held) // MS

    def advance_to(self, at_ms: int) -> None:
        """Let it be at least this time from now on, in Unix milliseconds."""
        if self.now_ms() < at_ms:
            self._anchor = (at_ms * MS, self._ticks_ns())

    def ahead_ms(self) -> int:
        """Return by how much it is ahead of the wall clock, in milliseconds."""
        return max(0, self._held_ns(self._ticks_ns()) - self._wall_ns()) // MS

    def _held_ns(self, ticks: int) -> int:
        at, since = self._anchor
        gone = ticks - since
        return at + gone - gone // SLOWER


HOUSE = Clock()
"""What this process stamps and compares by."""


def now_ms() -> int:
    """Return Unix time in milliseconds: never less than this process has said before."""
    return HOUSE.now_ms()


def ticks_s() -> float:
    """Return seconds since some moment, which only go forward: for durations, even where no event loop can tell."""
    return time.monotonic()


def cpu_s() -> float:
    """Return how long this thread has worked, in seconds: what others do to the machine does not count."""
    return time.thread_time()
