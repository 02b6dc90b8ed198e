"""Signatures of seats: a command of a seat with a key is decided only if that key has signed it as the match stands."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Protocol, TypeAlias

import msgspec
from msgspec.structs import replace

from domain import commands
from domain.fairness.openings import DealSecrets
from domain.fairness.shapes import Signed
from domain.ids import UnixMs, Version
from domain.log import canonical
from domain.log.refusals import Refusal
from domain.match.decide import Decision, decide
from domain.match.record import MatchAtHead, stream_of
from domain.match.signed_commands import (
    SeatSignature,
    check_asked,
    check_key,
    check_signature,
    message_of_refused,
    sealed_positions,
    seat_of,
)
from infra.clock import now_ms
from infra.keys import ed25519_verify, is_key


def decide_signed(
    written: MatchAtHead,
    command: commands.MatchCommand,
    at: UnixMs,
    keeper: DealSecrets | None,
    signature: SeatSignature | None,
) -> tuple[Decision, Signed | None]:
    """Return what a command leads to, and who has signed it, where somebody has to.

    Cost: for a command that is signed, a verification of about 0.1 ms; for others a look at the seat.

    Raises:
        Refused: A rule says no, or the command is not signed as the match stands.
    """
    check_asked(written.signing, command, signature)
    check_key(written.signing, command, is_key)
    if signature is None:
        return decide(written.match, command, at, keeper), None
    seq, sealed = written.match.version, sealed_positions(command, signature)
    knowing = keeper if keeper is None or sealed is None else keeper.secrets_handled({seq: sealed})
    made = decide(written.match, command, at, knowing)
    signed = check_signature(written, command, signature, made.events[0], at, ed25519_verify)
    if sealed is None or keeper is None:
        return made, signed
    kept = {f"handled/{keeper.number}/{seq}": msgspec.json.encode(sealed)}
    return replace(made, secrets={**made.secrets, **kept}), signed


Refuses: TypeAlias = Callable[[Refusal], str]
"""How the note of a refusal is made: signed by the key of the log, as receipts are."""


class NotTaken(Protocol):
    """Why a command was not taken."""

    facts: dict[str, object]

    @property
    def code(self) -> str:
        """Return the code that the answer has."""


class StoredLines(Protocol):
    """The lines of streams."""

    async def read(self, stream: str, after: Version, limit: int) -> list[bytes]:
        """Return at most `limit` lines behind a version, in order."""


class RefusalNotes:
    """What the house signs of a command that it has heard and not taken (CUP/1 section 4.14.7)."""

    def __init__(self, lines: StoredLines, refuses: Refuses | None) -> None:
        """Find what players have seen in these lines, and sign with this; without it there are no notes."""
        self._lines = lines
        self._refuses = refuses

    async def note(
        self, no: NotTaken, written: MatchAtHead, command: commands.MatchCommand, signature: SeatSignature
    ) -> None:
        """Put a note beside the facts of a no, where the command was signed by whose it is.

        Cost: a verification and a signature, and a query where a line of long ago was signed.
        """
        if self._refuses is None or signature.version > written.signing.version:
            return
        head, at = await self._head(written, signature.version), now_ms()
        message = message_of_refused(written, command, signature, head, at, ed25519_verify)
        if message is None:
            return
        seat, digest = seat_of(command), hashlib.sha256(message).hexdigest()
        stream = stream_of(written.match.id)
        refusal = Refusal(stream, seat, signature.n, signature.version, digest, at, no.code)
        no.facts["refusal"] = self._refuses(refusal)

    async def _head(self, written: MatchAtHead, version: Version) -> bytes:
        if written.signing.has_seen_enough(version):
            return written.signing.head_at(version)
        (line,) = await self._lines.read(stream_of(written.match.id), version - 1, 1)
        return bytes.fromhex(canonical.head(line))
