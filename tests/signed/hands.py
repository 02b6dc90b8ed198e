"""Hands that sign: what a player's own program does, with lines of the record and a key of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from domain.fairness.signing.messages import seal_positions
from domain.match.record import fold
from domain.match.signing import Signing, message_for
from infra.keys import Ed25519Signer

PLACEMENTS = ("inside", "outside", "roll_inside", "roll_outside")


def signing_after(lines: Sequence[bytes]) -> Signing:
    """Return what signatures hang on after these lines, computed from them alone."""
    *_, (written, _) = fold(lines)
    return written.signing


class Hand:
    """A player's key, and the seat it signs for."""

    def __init__(self, match: UUID, number: int, seat: int | None = None) -> None:
        """Make the key of this number, the same in every run."""
        self.match = match
        self.signer = Ed25519Signer(number.to_bytes(32, "big"))
        self.key = self.signer.public_key.hex()
        self.seat = seat

    def sign(self, signing: Signing, public: Mapping[str, Any]) -> dict[str, Any]:
        """Return the signature over a command in its public form, over the last line there is."""
        n = 0 if self.seat is None else signing.seats[self.seat].n + 1
        message = message_for(signing, self.match.bytes, self.seat, n, signing.version, public)
        return {"n": n, "version": signing.version, "sig": self.signer.sign(message).hex()}

    def sign_join(self, signing: Signing, custody: str, name: str | None = None) -> dict[str, Any]:
        """Return the signature over taking a seat."""
        named = {} if name is None else {"name": name}
        return self.sign(signing, {"type": "join", "key": self.key, "custody": custody, **named})


def sealed(salt: str, asked: Mapping[str, Any]) -> str:
    """Return what fixes which dice are handled."""
    return seal_positions(bytes.fromhex(salt), {place: list(asked.get(place, ())) for place in PLACEMENTS})
