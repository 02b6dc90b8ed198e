"""The one place that draws chance, from the operating system."""

from __future__ import annotations

import secrets
from uuid import UUID

from uuid_utils.compat import uuid7


def draw(length: int) -> bytes:
    """Return this many bytes nobody can predict."""
    return secrets.token_bytes(length)


def fresh_id() -> UUID:
    """Return an id nobody has used, sortable by time."""
    return uuid7()
