"""The one place that draws chance, from the operating system."""

from __future__ import annotations

import secrets


def draw(length: int) -> bytes:
    """Return this many bytes nobody can predict."""
    return secrets.token_bytes(length)
