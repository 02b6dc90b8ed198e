"""Keys of entrants: registered once in the stream of a tournament, for all matches of it.

    message  "CUP1.ent" tournament(16) 0(1) n(4) version(4) head(32) zeros(32) H(canonical JSON of command)   129 bytes
    command  {"key": "<64 hex>", "number": 3, "type": "take_key"}

Laid out as what a seat signs, under a label that no command of a match has. Nothing has to chain one word of an entrant
to the next: it is signed over a line behind the last one about the own key, whose hash says all that was before.
Source: CUP/1 sections 4.14.2, 4.14.4 and 4.14.8.
"""

from __future__ import annotations

from typing import Annotated, Final
from uuid import UUID

from msgspec import Meta, Struct

from domain.fairness.signing.keyed_seats import RECOVERY_MS
from domain.fairness.signing.messages import NO_SEAT, NOTHING_BEFORE, message_of
from domain.ids import UnixMs, Version
from domain.log.notes import Verify

LABEL: Final = b"CUP1.ent"
TAKE_KEY: Final = "take_key"


class KeySignature(Struct, frozen=True, forbid_unknown_fields=True):
    """The signature of an entrant over the own key.

    Attributes:
        key: With which key it is signed, as hex.
        n: Which word of the entrant on the own key it is: 0, 1, 2 without gaps.
        version: How many lines of the tournament the entrant had seen, over the last of which it is signed.
        sig: Ed25519, as hex.
    """

    key: Annotated[str, Meta(min_length=64, max_length=64, pattern="^[0-9a-f]{64}$")]
    n: Annotated[int, Meta(ge=0, le=2**32 - 1)]
    version: Annotated[int, Meta(ge=1, le=2**32 - 1)]
    sig: Annotated[str, Meta(min_length=128, max_length=128, pattern="^[0-9a-f]{128}$")]


class EntrantKey(Struct, frozen=True):
    """The key of an entrant.

    Attributes:
        key: The one that holds, as hex.
        n: Which word on it was the entrant's last.
        line: The place of the last line about it.
        held: The keys that have held, each with the place of the line from which it did.
        named: The key that a host has named, which the entrant's next word decides of, and when that was.
    """

    key: str
    n: int
    line: int
    held: tuple[tuple[int, str], ...]
    named: tuple[str, UnixMs] | None = None

    @property
    def taken(self) -> frozenset[str]:
        """The keys that nobody else may have."""
        return frozenset([self.key] if self.named is None else [self.key, self.named[0]])

    def may_sign(self, signer: str, key: str, at: UnixMs) -> bool:
        """Report whether a word for `key` may be signed with `signer` now.

        The key that holds signs any; a named one signs for itself alone, once the other was silent for long enough.
        """
        if signer == self.key or self.named is None:
            return signer == self.key
        named, since = self.named
        return signer == key == named and at - since >= RECOVERY_MS

    def since(self, line: int) -> tuple[str, ...]:
        """Return the keys that have held at a line or since, in order."""
        ends = [begins for begins, _ in self.held[1:]]
        return tuple(key for (_, key), end in zip(self.held, [*ends, None], strict=True) if end is None or end > line)


def key_message(tournament: UUID, number: int, key: str, n: int, version: Version, head: bytes) -> bytes:
    """Return the 129 bytes with which an entrant says which key is the own one.

    Args:
        tournament: The tournament.
        number: The number of the entrant.
        key: The key, as hex.
        n: Which word of the entrant on the own key it is.
        version: How many lines the entrant had seen.
        head: The hash of the last of them, 32 bytes.
    """
    command = {"type": TAKE_KEY, "number": number, "key": key}
    return message_of(tournament.bytes, NO_SEAT, n, version, head, NOTHING_BEFORE, command, LABEL)


def is_signed(tournament: UUID, number: int, key: str, signed: KeySignature, head: bytes, verify: Verify) -> bool:
    """Report whether the key that a signature names has made it over that line; `verify` checks Ed25519."""
    message = key_message(tournament, number, key, signed.n, signed.version, head)
    return verify(bytes.fromhex(signed.key), message, bytes.fromhex(signed.sig))
