"""Codes as a camera reads them, by a reader that others wrote."""

from __future__ import annotations

import re
from collections.abc import Sequence

import zxingcpp

PIXELS = 4
"""How many a module is wide."""


def drawn(svg: str) -> list[list[bool]]:
    """Return the rows of modules that a drawing shows: strokes a module high, each beginning where the last ended."""
    side = int(re.findall(r'viewBox="0 0 (\d+) \1"', svg)[0])
    (path,) = re.findall(r'<path stroke="#000" d="([^"]+)"', svg)
    modules = [[False] * side for _ in range(side)]
    x, y = 0.0, 0.0
    for kind, first, second in re.findall(r"([Mmh])(-?[\d.]+)(?: (-?[\d.]+))?", path):
        if kind == "M":
            x, y = float(first), float(second)
        elif kind == "m":
            x, y = x + float(first), y + float(second)
        else:
            modules[int(y)][int(x) : int(x) + int(first)] = [True] * int(first)
            x += int(first)
    return modules


def read_code(modules: Sequence[Sequence[bool]]) -> str:
    """Return what a code says, from its rows of modules; whether each is dark."""
    lines = [bytes(0 if dark else 255 for dark in row for _ in range(PIXELS)) for row in modules for _ in range(PIXELS)]
    picture = memoryview(b"".join(lines)).cast("B", (len(lines), len(lines[0])))
    (found,) = zxingcpp.read_barcodes(picture)
    return str(found.text)
