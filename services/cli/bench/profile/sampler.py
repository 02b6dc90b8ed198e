"""Stacks of this process, by the processor's time that they took.

The system's profiling timer (setitimer(2), ITIMER_PROF) counts the processor's time and not that of the wall, so that
waiting costs nothing. Its signal is handled by the main thread between two steps of the interpreter: what a library
does in one step counts for whoever asked for it.
"""

from __future__ import annotations

import signal
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Final

import msgspec

from infra.clock import cpu_s
from services.cli.bench.profile.parts import part_of

EVERY_S: Final = 0.004
BEGIN, END = signal.SIGUSR1, signal.SIGUSR2
"""Begins to count, and writes down what was counted."""


class Sampler:
    """Counts from one signal to the next, and writes the seconds of each part into a file."""

    def __init__(self, file: Path) -> None:
        """Write into this file."""
        self._file = file
        self._spent: Counter[str] = Counter()
        self._before = cpu_s()

    def install(self) -> None:
        """Sample this process from now on."""
        signal.signal(signal.SIGPROF, self._sample)
        signal.signal(BEGIN, self._begin)
        signal.signal(END, self._end)
        signal.setitimer(signal.ITIMER_PROF, EVERY_S, EVERY_S)

    def _sample(self, _signum: int, frame: FrameType | None) -> None:
        # A signal that waits swallows those behind it: a sample counts for all the time since the one before.
        now = cpu_s()
        self._spent[part_of(frame)] += now - self._before  # type: ignore[assignment] # seconds are counted, too
        self._before = now

    def _begin(self, _signum: int, _frame: FrameType | None) -> None:
        self._spent.clear()
        self._before = cpu_s()

    def _end(self, _signum: int, _frame: FrameType | None) -> None:
        whole = self._file.with_suffix(".part")
        whole.write_bytes(msgspec.json.encode(dict(self._spent)))
        whole.replace(self._file)
