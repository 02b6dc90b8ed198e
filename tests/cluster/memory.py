"""The memory of a process, searched for bytes, as whoever owns the machine could."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Iterator
from pathlib import Path

import psutil

PIECE = 8 * 2**20
"""Bytes read at once."""
_AREA = re.compile(r"([0-9a-f]+)-([0-9a-f]+) r")


def family(pid: int) -> list[int]:
    """Return a process and all that it has started."""
    return [pid, *(child.pid for child in psutil.Process(pid).children(recursive=True))]


def forms(secret: bytes) -> list[bytes]:
    """Return how a secret may stand in memory: as it is, in hex of either case, in base64 of either alphabet."""
    coded = [secret.hex(), secret.hex().upper(), base64.b64encode(secret).decode().rstrip("=")]
    return [secret, *(text.encode() for text in {*coded, base64.urlsafe_b64encode(secret).decode().rstrip("=")})]


def found_in(pid: int, wanted: dict[str, list[bytes]]) -> set[str]:
    """Return the names of what stands in the memory of a process, of these."""
    longest = max(len(form) for each in wanted.values() for form in each)
    found: set[str] = set()
    for piece in _pieces(pid, longest):
        found |= {name for name, each in wanted.items() if name not in found and any(form in piece for form in each)}
        if len(found) == len(wanted):
            break
    return found


def _pieces(pid: int, overlap: int) -> Iterator[bytes]:
    """Yield all that can be read, in pieces that overlap by so many bytes."""
    areas = [_AREA.match(line) for line in Path(f"/proc/{pid}/maps").read_text().splitlines()]
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        for area in areas:
            if area is not None:
                yield from _area(memory.fileno(), int(area[1], 16), int(area[2], 16), overlap)


def _area(memory: int, start: int, end: int, overlap: int) -> Iterator[bytes]:
    for at in range(start, end, PIECE):
        try:
            yield os.pread(memory, min(PIECE + overlap, end - at), at)
        except (OSError, OverflowError, ValueError):
            return  # an area of the kernel's own, which nobody reads
