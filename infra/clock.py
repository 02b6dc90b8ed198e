"""The one place that learns the time."""

from __future__ import annotations

import time


def now_ms() -> int:
    """Return Unix time in milliseconds. It may step back; nothing depends on its order."""
    return time.time_ns() // 1_000_000


def ticks_s() -> float:
    """Return seconds since some moment, which only go forward: for durations, even where no event loop can tell."""
    return time.monotonic()


def cpu_s() -> float:
    """Return how long this thread has worked, in seconds: what others do to the machine does not count."""
    return time.thread_time()
