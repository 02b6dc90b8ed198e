"""Programs that hang: stopped in the middle of whatever they do, as by a disk that does not answer, then let go."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import sleep

import psutil

STOPPED = frozenset("TtXZ")
"""The states of a thread that takes no step: proc(5)."""


@contextmanager
def hung(pid: int) -> Iterator[None]:
    """Let a program, with all it has started, take no step; nobody who waits for it is told."""
    parent = psutil.Process(pid)
    # The parent first: it starts nobody meanwhile.
    _stop(parent)
    family = [parent, *parent.children(recursive=True)]
    for one in family:
        _stop(one)
    try:
        yield
    finally:
        for one in reversed(family):
            with suppress(psutil.NoSuchProcess):
                one.resume()


def _stop(one: psutil.Process) -> None:
    """Stop a program, and return when each of its threads has taken its last step."""
    with suppress(psutil.NoSuchProcess):
        one.suspend()
        while one.is_running() and not _is_stopped(one):
            sleep(0.001)


def _is_stopped(one: psutil.Process) -> bool:
    threads = Path(f"/proc/{one.pid}/task")
    if not threads.exists():
        return one.status() == psutil.STATUS_STOPPED
    with suppress(FileNotFoundError, ProcessLookupError):
        return all((each / "stat").read_text().rpartition(")")[2].split()[0] in STOPPED for each in threads.iterdir())
    return False  # one ended just now: look again
