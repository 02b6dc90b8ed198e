"""Bearer tokens for hosts and guests: opaque, recognisable, and stored only as hashes.

A token is derived from a key of the service and the command that earned it, so that a repeated request gets the same
token again although no token is ever stored.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import urlsafe_b64encode
from typing import Literal
from uuid import UUID

from msgspec import Struct

Role = Literal["host", "seat"]


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
        mac = hmac.digest(self._key, about, "sha256")
        return f"truecup_{role}_{urlsafe_b64encode(mac).rstrip(b'=').decode()}"

    def name(self, command: bytes) -> bytes:
        """Return 16 bytes that stand for a command in public.

        An idempotency key is as good as the token it earns; a plain hash of it would let anybody try keys at home.
        """
        return hmac.digest(self._key, b"truecup name\n" + command, "sha256")[:16]


def digest(token: str) -> bytes:
    """Return what is stored of a token."""
    return hashlib.sha256(token.encode()).digest()
