"""Programs that hang: stopped in the middle of whatever they do, as by a disk that does not answer, then let go."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psutil


@contextmanager
def hung(pid: int) -> Iterator[None]:
    """Let a program, with all it has started, take no step; nobody who waits for it is told."""
    parent = psutil.Process(pid)
    # The parent first: it starts nobody meanwhile.
    parent.suspend()
    family = [parent, *parent.children(recursive=True)]
    for one in family:
        with suppress(psutil.NoSuchProcess):
            one.suspend()
    try:
        yield
    finally:
        for one in reversed(family):
            with suppress(psutil.NoSuchProcess):
                one.resume()
