"""Points of the curve of Ed25519: which 32 bytes are a key that anybody could sign with, and everybody reads alike."""

from __future__ import annotations

from typing import Final

_FIELD: Final = 2**255 - 19
_D: Final = -121665 * pow(121666, -1, _FIELD) % _FIELD
"""The constant of the curve (RFC 8032 section 5.1)."""
_ORDER_8: Final = 2707385501144840649318225287225658788936804267575313519463743609750303402022
_SMALL: Final = frozenset([0, 1, _FIELD - 1, _ORDER_8, _FIELD - _ORDER_8])
"""The y of the eight points of small order."""


def is_strict_key(key: bytes) -> bool:
    """Report whether every verifier takes this for the same key, 32 bytes, and not any message fits it."""
    y = _y_of(key)
    return y < _FIELD and y not in _SMALL


def is_point(key: bytes) -> bool:
    """Report whether somebody could sign with the key that has these 32 bytes: a point, strictly spelled.

    Of a key that has signed nobody asks. Source: RFC 8032 section 5.1.3.
    """
    y = _y_of(key)
    # x squared is u/v, and a point there is if that has a root.
    u, v = y * y - 1, _D * y * y + 1
    return is_strict_key(key) and pow(u * v, (_FIELD - 1) // 2, _FIELD) == 1


def _y_of(key: bytes) -> int:
    return int.from_bytes(key, "little") % 2**255
