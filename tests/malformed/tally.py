"""A tally of nonsense: how much was asked, what was said, what was slow, and what ought not to have been."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter, process_time
from typing import Final

SLOW_MS: Final = 100.0
FOUND_MAX: Final = 20
"""How many finds are kept."""


class Tally:
    """Inputs of one door, counted.

    Attributes:
        inputs: How many were sent.
        said: What they were answered with, by status, close code or kind.
        accepted: How many led to something that is kept.
        moves: How often people at a table moved meanwhile.
        found: What ought not to have been, each with the number of its input.
        slow: Inputs that took more than 100 ms of the processor.
        worst_ms: The most that one took.
        waited_ms: The longest that one was waited for; other programs of the machine are in it.
    """

    def __init__(self) -> None:
        self.inputs = self.accepted = self.moves = 0
        self.said: Counter[str] = Counter()
        self.found: list[str] = []
        self.slow: list[str] = []
        self.worst_ms = self.waited_ms = 0.0

    def find(self, what: str) -> None:
        """Note what ought not to have been."""
        if len(self.found) < FOUND_MAX:
            self.found.append(what[:2_000])

    @contextmanager
    def timed(self, told: str, *, alone: bool = True) -> Iterator[list[str]]:
        """Note how long an input takes, which bears this name.

        Of inputs that are sent side by side the time is that of all of them. If that is too much for one, nothing is
        noted but in what is yielded: then each has to be looked at alone.
        """
        apart: list[str] = []
        began, waited = process_time(), perf_counter()
        yield apart
        took_ms, waited_ms = (process_time() - began) * 1_000, (perf_counter() - waited) * 1_000
        if took_ms > SLOW_MS and not alone:
            apart.append(told)
            return
        self.worst_ms, self.waited_ms = max(self.worst_ms, took_ms), max(self.waited_ms, waited_ms)
        if took_ms > SLOW_MS:
            self.slow.append(f"{took_ms:,.0f} ms of the processor: {told}")
