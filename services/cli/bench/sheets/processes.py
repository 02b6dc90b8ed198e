"""The cost of processes: the processor's time of one with all it has started, and its memory, as proc(5) has them."""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Mapping
from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")
TICKS_A_SECOND: Final = os.sysconf("SC_CLK_TCK")
MS: Final = 1_000
KIB: Final = 1_024
PARENT, TIMES = 1, slice(11, 15)
"""Fields of `/proc/PID/stat` behind the name: the parent, and the times of it and of children that ended."""


def cpu_s(pid: int) -> float:
    """Return how long a process and all it has started, and what those have, had a core; in seconds. Needs Linux."""
    parents = {int(entry.name): fields for entry in PROC.iterdir() if entry.name.isdigit() and (fields := _stat(entry))}
    ticks, waiting = 0, [pid]
    while waiting:
        one = waiting.pop()
        ticks += sum(map(int, parents.get(one, [])[TIMES]))
        waiting += [child for child, fields in parents.items() if int(fields[PARENT]) == one]
    return ticks / TICKS_A_SECOND


def memory_bytes(pid: int) -> int:
    """Return how many bytes of memory a process holds. Needs Linux."""
    return int((PROC / str(pid) / "statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()


def peak_bytes() -> int:
    """Return the most bytes of memory that this process has held at once. Needs Linux."""
    found = re.search(r"^VmHWM:\s*([0-9]+) kB$", (PROC / "self" / "status").read_text(encoding="ascii"), re.MULTILINE)
    assert found is not None, "Linux says it of every process"
    return int(found[1]) * KIB


class Spent:
    """How long some processes had a core since this was made."""

    def __init__(self, pids: Mapping[str, int]) -> None:
        """Begin to count, for processes by what they are called."""
        self._begun = {name: (pid, cpu_s(pid)) for name, pid in pids.items()}

    def ms_each(self, count: int) -> dict[str, float]:
        """Return the milliseconds of a core that each of so many pieces of work has taken, by process."""
        return {name: MS * (cpu_s(pid) - before) / max(1, count) for name, (pid, before) in self._begun.items()}


def _stat(entry: Path) -> list[str]:
    """Return the fields of a process behind its name, which may hold blanks and brackets; none if it has ended."""
    try:
        return (entry / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []
