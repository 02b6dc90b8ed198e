"""Bearer tokens for hosts and guests: opaque, recognisable, and stored only as hashes.

A token is derived from a key of the service and the command that earned it, so that a repeated request gets the same
token again although no token is ever stored. Its second half is a seal over its first, so that a guess is told from a
token without asking the store.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final, Literal
from uuid import UUID

from msgspec import Struct

Role = Literal["host", "seat"]

HALF: Final = 16
"""Bytes of a token that say nothing but themselves; as many behind them seal them."""


class Bearer(Struct, frozen=True):
    """Who a token speaks for: the host of a match, or one seat in it."""

    match: UUID
    role: Role
    seat: int | None = None


class Tokens:
    """Issues tokens under one key."""

    def __init__(self, key: bytes) -> None:
        """Issue under this key of 32 bytes."""
        self._key = key

    def issue(self, match: UUID, role: Role, seat: int | None, command: bytes) -> str:
        """Return the token that this command earned: 256 bits behind a prefix that secret scanners can recognise."""
        about = f"truecup token\n{match}\n{role}\n{seat}\n".encode() + command
        half = hmac.digest(self._key, about, "sha256")[:HALF]
        return f"truecup_{role}_{urlsafe_b64encode(half + self._seal(half)).rstrip(b'=').decode()}"

    def ours(self, token: str) -> bool:
        """Report whether a token may have been issued under this key; a guess passes once in 2 to the 128."""
        secret = urlsafe_b64decode(token[-43:] + "=")
        return hmac.compare_digest(self._seal(secret[:HALF]), secret[HALF:])

    def _seal(self, half: bytes) -> bytes:
        return hmac.digest(self._key, b"truecup seal\n" + half, "sha256")[:HALF]

    def name(self, command: bytes, match: UUID | None = None) -> bytes:
        """Return 16 bytes that stand for a command in public, others in each match.

        An idempotency key is as good as the token it earns; a plain hash of it would let anybody try keys at home.
        """
        about = command if match is None else command + match.bytes
        return hmac.digest(self._key, b"truecup name\n" + about, "sha256")[:16]


def digest(token: str) -> bytes:
    """Return what is stored of a token."""
    return hashlib.sha256(token.encode()).digest()
