"""Ed25519 keys: the log's signature, and checking anybody's."""

from __future__ import annotations

from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

POINT_BYTES: Final = 32
_FIELD: Final = 2**255 - 19
_ORDER_8: Final = 2707385501144840649318225287225658788936804267575313519463743609750303402022
_SMALL: Final = {0, 1, _FIELD - 1, _ORDER_8, _FIELD - _ORDER_8}
"""The y of the eight points of small order: a signature by such a key fits any message."""


class Ed25519Signer:
    """Signs with one key."""

    def __init__(self, seed: bytes) -> None:
        """Use the key of this 32-byte seed."""
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        self.public_key = self._key.public_key().public_bytes_raw()

    def sign(self, message: bytes) -> bytes:
        """Return the signature, 64 bytes, the same for the same message."""
        return self._key.sign(message)


def ed25519_verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Report whether the signature of this key fits the message; False for anything malformed.

    Points of small order and points that are spelled in another way fit nothing: OpenSSL, WebCrypto and others differ
    about them, and two auditors may not.
    """
    if not (_is_strict(public_key) and _is_strict(signature[:POINT_BYTES])):
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _is_strict(point: bytes) -> bool:
    y = int.from_bytes(point, "little") % 2**255
    return y < _FIELD and y not in _SMALL
