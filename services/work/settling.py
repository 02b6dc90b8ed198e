"""A process beside a program as it settles: how little it takes of the machine, and how long it does one thing.

It has little room and little right, so that what it does takes nothing from those who play.
"""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

NICE: Final = 15
"""How far everybody else comes before it."""
AGAIN_S: Final = 0.1
"""After how much more of a core what takes too long is told so again."""
MEMORY_BYTES: Final = 2**30
"""What it may take of addresses; a third of that is ever used."""


class TakesTooLong(Exception):  # noqa: N818 - says what is the matter
    """What is done has had all the time of a core that it may have."""


def settle(begin: Callable[[int], None], parent: int, nice: int = NICE) -> None:
    """Begin as a process beside a program: see to its end with the program's, step back, and take little room."""
    begin(parent)
    os.nice(nice)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    # What a seat was shown lies in its memory, and goes into no file.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@contextmanager
def within(cpu_s: float) -> Iterator[None]:
    """Let what is done meanwhile take so many seconds of a core at most.

    Raises:
        TakesTooLong: It takes more.
    """
    is_over = False

    def end(*_: Any) -> None:  # noqa: ANN401 - what a handler is given
        if not is_over:
            raise TakesTooLong

    before = signal.signal(signal.SIGPROF, end)
    # What is raised while something is thrown away, in a finalizer, reaches nobody: so it is raised again.
    signal.setitimer(signal.ITIMER_PROF, cpu_s, AGAIN_S)
    try:
        yield
    finally:
        is_over = True
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
