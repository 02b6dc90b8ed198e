"""Codes as a camera reads them, by a reader that others wrote."""

from __future__ import annotations

from collections.abc import Sequence

import zxingcpp

PIXELS = 4
"""How many a module is wide."""


def read_code(modules: Sequence[Sequence[bool]]) -> str:
    """Return what a code says, from its rows of modules; whether each is dark."""
    lines = [bytes(0 if dark else 255 for dark in row for _ in range(PIXELS)) for row in modules for _ in range(PIXELS)]
    picture = memoryview(b"".join(lines)).cast("B", (len(lines), len(lines[0])))
    (found,) = zxingcpp.read_barcodes(picture)
    return str(found.text)
