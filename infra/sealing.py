"""Wraps secrets for storage under a key-encryption key: AES-256-GCM with the secret's name bound in.

A wrapped secret is `key id (4 bytes) + nonce (12) + ciphertext`. The key id lets an older key open what it closed.
"""

from __future__ import annotations

import hashlib
import hmac

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from infra.entropy import draw

KEY_BYTES = 32
ID_BYTES = 4
NONCE_BYTES = 12


class CannotUnwrap(Exception):  # noqa: N818 - named for what happened
    """No key at hand opens this secret, or it was tampered with."""


class Sealing:
    """Wraps with the first key, unwraps with any."""

    def __init__(self, *keys: bytes) -> None:
        """Use these keys of 32 bytes, the newest first."""
        assert keys
        self._keys = {_key_id(key): AESGCM(key) for key in keys}
        self._newest = _key_id(keys[0])

    def is_newest(self, wrapped: bytes) -> bool:
        """Report whether the newest key wrapped this secret."""
        return wrapped[:ID_BYTES] == self._newest

    def wrap(self, secret: bytes, name: bytes) -> bytes:
        """Return the secret as it may be stored under this name."""
        nonce = draw(NONCE_BYTES)
        return self._newest + nonce + self._keys[self._newest].encrypt(nonce, secret, name)

    def unwrap(self, wrapped: bytes, name: bytes) -> bytes:
        """Return the secret that was stored under this name.

        Raises:
            CannotUnwrap: It was wrapped by a key not at hand, under another name, or changed since.
        """
        key = self._keys.get(wrapped[:ID_BYTES])
        if key is None:
            raise CannotUnwrap("this secret was wrapped by another key")
        try:
            return key.decrypt(wrapped[ID_BYTES : ID_BYTES + NONCE_BYTES], wrapped[ID_BYTES + NONCE_BYTES :], name)
        except InvalidTag as error:
            raise CannotUnwrap("this secret was changed, or stored under another name") from error


def derive_key(key: bytes, purpose: str) -> bytes:
    """Return another key of 32 bytes for one purpose, from which nobody can get back to this one."""
    return hmac.digest(key, f"truecup {purpose}".encode(), "sha256")


def _key_id(key: bytes) -> bytes:
    return hashlib.sha256(b"truecup key id" + key).digest()[:ID_BYTES]
