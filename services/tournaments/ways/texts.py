"""Texts beside the lines of a tournament: a line names a salted hash, so that the text may be erased."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Final

from infra.entropy import draw
from infra.store import NotedText

SALT: Final = 16
"""Bytes hashed before a text that a line names."""
TEXTS_MAX: Final = 2**20
"""Bytes of all texts of a tournament, which are read at once: thousands of rulings have less."""
BESIDE_TEXT: Final = 128
"""Bytes that a text takes besides its own: its hash and its salt."""


def noted(text: str, *, restricted: bool) -> NotedText:
    """Return a text as it is kept, under a hash that nobody can guess it by."""
    salt = draw(SALT)
    return NotedText(hashlib.sha256(salt + text.encode()).hexdigest(), salt, text, restricted)


def room(notes: Iterable[NotedText]) -> int:
    """Return how many bytes these take."""
    return sum(len(note.body.encode()) + BESIDE_TEXT for note in notes)
