"""Bearer tokens for hosts and guests: opaque, recognisable, and stored only as hashes.

A token is derived from a key of the service and the command that earned it, so that a repeated request gets the same
token again although no token is ever stored. Its second half is a seal over its first, so that a guess is told from a
token without asking the store.

While one key follows another there are several. What is new is made under the newest; what a repeat is to be given
again may have been made under any, and only the store knows which.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final, Literal
from uuid import UUID

from msgspec import Struct

from domain.ids import Seat
from domain.match.evolve import Match

Role = Literal["host", "seat", "arbiter", "entrant", "player"]
"""What a token lets somebody do: arbiters and entrants in a tournament, players in all of them."""

HALF: Final = 16
"""Bytes of a token that say nothing but themselves; as many behind them seal them."""

INVITE_BYTES: Final = 24
"""Bytes of an invitation, which are 32 characters."""


class Holder(Struct, frozen=True):
    """A seat, and the player who took it: once that player has left it, the number may be another's."""

    seat: Seat
    player: str

    def sits_in(self, match: Match) -> bool:
        """Report whether the player has the seat now. Nobody leaves, and nobody comes, once a match has started."""
        sits = match.seated.get(self.seat)
        return sits is not None and sits.player == self.player


class Bearer(Struct, frozen=True):
    """Who a token speaks for: the host of a match, or whoever holds one seat in it."""

    match: UUID
    role: Role
    holder: Holder | None = None


class TokenIssuer:
    """Issues tokens under the newest of its keys, and knows those of all."""

    def __init__(self, *keys: bytes) -> None:
        """Use these keys of 32 bytes, the newest first."""
        assert keys
        self._keys = keys

    def issue(self, match: UUID, role: Role, seat: Seat | None, command: bytes) -> str:
        """Return the token that this command earns: 256 bits behind a prefix that secret scanners can recognise."""
        return self.possible_tokens(match, role, seat, command)[0]

    def possible_tokens(self, match: UUID, role: Role, seat: Seat | None, command: bytes) -> list[str]:
        """Return the tokens that this command may have earned, under the newest key first."""
        about = f"truecup token\n{match}\n{role}\n{seat}\n".encode() + command
        return [f"truecup_{role}_{_spell(_mac_of(key, about))}" for key in self._keys]

    def ours(self, token: str) -> bool:
        """Report whether a token may have been issued under one of the keys; a guess passes once in 2 to the 128."""
        secret = urlsafe_b64decode(token[-43:] + "=")
        # Every key is tried, whichever fits: the time says nothing.
        fits = [hmac.compare_digest(_seal(key, secret[:HALF]), secret[HALF:]) for key in self._keys]
        return any(fits)

    def invite(self, match: UUID) -> str:
        """Return the invitation to a match, of 192 bits: it is not stored, so nobody reads it anywhere."""
        return self._invites(match)[0]

    def is_invite(self, match: UUID, said: str) -> bool:
        """Report whether this is the invitation to a match, under any of the keys; the time says nothing."""
        fits = [hmac.compare_digest(one.encode(), said.encode()) for one in self._invites(match)]
        return any(fits)

    def _invites(self, match: UUID) -> list[str]:
        about = b"truecup invite\n" + match.bytes
        return [_spell(hmac.digest(key, about, "sha256")[:INVITE_BYTES]) for key in self._keys]

    def hook_secrets(self, hook: UUID) -> list[bytes]:
        """Return what the secret of a webhook may be, 32 bytes each, under the newest key first; none is stored."""
        return [hmac.digest(key, b"truecup hook\n" + hook.bytes, "sha256") for key in self._keys]

    def name(self, command: bytes, match: UUID | None = None) -> bytes:
        """Return 16 bytes that stand for a command in public, others in each match.

        An idempotency key is as good as the token it earns; a plain hash of it would let anybody try keys at home.
        """
        return self.names(command, match)[0]

    def names(self, command: bytes, match: UUID | None = None) -> list[bytes]:
        """Return what may stand for a command in public, under the newest key first."""
        about = command if match is None else command + match.bytes
        return [hmac.digest(key, b"truecup name\n" + about, "sha256")[:16] for key in self._keys]


def _mac_of(key: bytes, about: bytes) -> bytes:
    half = hmac.digest(key, about, "sha256")[:HALF]
    return half + _seal(key, half)


def _seal(key: bytes, half: bytes) -> bytes:
    return hmac.digest(key, b"truecup seal\n" + half, "sha256")[:HALF]


def _spell(secret: bytes) -> str:
    return urlsafe_b64encode(secret).rstrip(b"=").decode()


def digest(token: str) -> bytes:
    """Return what is stored of a token."""
    return hashlib.sha256(token.encode()).digest()
