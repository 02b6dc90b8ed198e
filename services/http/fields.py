"""Fields of a request's head, by name, as they came: to look at a few of them costs less than the framework's index."""

from __future__ import annotations

from litestar.types import Scope


def field_of(scope: Scope, name: bytes) -> bytes | None:
    """Return the first field of this name, in small letters; None if there is none."""
    return next((value for key, value in scope["headers"] if key == name), None)
