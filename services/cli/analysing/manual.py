"""The help of the commands about analyses and strength, as plain text: 80 signs a line, examples last."""

from __future__ import annotations

from typing import Final

ANALYSING: Final[dict[str, str]] = {}
"""The help of each command, in the order in which they are listed."""
