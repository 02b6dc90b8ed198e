"""Signatures of seats: a command of a seat with a key is decided only if that key has signed it as the match stands."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Final, Protocol, TypeAlias

import msgspec
from msgspec.structs import replace

from domain import commands
from domain.audit.signing.refused import LATEST
from domain.errors import Refused
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
    sealed_handling,
    seat_of,
)
from infra.keys import ed25519_verify
from infra.measures.watches import Timed


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
    with Timed("decide"):
        return _decide(written, command, at, keeper, signature)


def _decide(
    written: MatchAtHead,
    command: commands.MatchCommand,
    at: UnixMs,
    keeper: DealSecrets | None,
    signature: SeatSignature | None,
) -> tuple[Decision, Signed | None]:
    check_asked(written.signing, command, signature)
    check_key(written.signing, command)
    if signature is None:
        return decide(written.match, command, at, keeper), None
    seq, sealed = written.match.version, sealed_handling(written.match, command, signature)
    knowing = keeper if keeper is None or sealed is None else keeper.secrets_handled({seq: sealed})
    made = decide(written.match, command, at, knowing)
    signed = check_signature(written, command, signature, made.events[0], at, ed25519_verify)
    if sealed is None or keeper is None:
        return made, signed
    kept = {f"handled/{keeper.number}/{seq}": msgspec.json.encode(sealed)}
    return replace(made, secrets={**made.secrets, **kept}), signed


UNDONE: Final = frozenset({"key_taken"})
"""What the rules refuse with only until a quiet line undoes it: a seat gives up that key, or a kept one is taken."""


def is_refused_for_good(
    written: MatchAtHead, command: commands.MatchCommand, keeper: DealSecrets | None, signature: SeatSignature
) -> bool:
    """Report whether what a seat has signed can never come to stand behind the lines there are.

    It can not if a loud line has overtaken it, or if the rules refuse it now and at any time to come: of the lines that
    may still come before it, the quiet ones, all but those of keys change nothing that it depends on. Whatever else it
    was refused for (a version that was named, a name, a rate, a token) may be otherwise a moment later.

    Cost: two decisions, each with a verification.
    """
    if not written.signing.has_seen_enough(signature.version):
        return signature.version <= written.signing.loud
    return all(_is_refused(written, command, at, keeper, signature) for at in (written.match.at + 1, LATEST))


def _is_refused(
    written: MatchAtHead,
    command: commands.MatchCommand,
    at: UnixMs,
    keeper: DealSecrets | None,
    signature: SeatSignature,
) -> bool:
    try:
        decide_signed(written, command, at, keeper, signature)
    except Refused as no:
        return no.code not in UNDONE
    return False


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
    """What the house signs of a command that it has heard and not taken (CUP/1 section 4.14.7).

    The law of the class: the house signs only what stays true. A note whose command is taken a moment later, as it was
    sent, would convict an honest house; so would one dated before a line that it goes by.
    """

    def __init__(self, lines: StoredLines, refuses: Refuses | None) -> None:
        """Find what players have seen in these lines, and sign with this; without it there are no notes."""
        self._lines = lines
        self._refuses = refuses

    async def note(
        self,
        no: NotTaken,
        written: MatchAtHead,
        keeper: DealSecrets | None,
        command: commands.MatchCommand,
        signature: SeatSignature,
        now: UnixMs,
    ) -> None:
        """Put a note beside the facts of a no, where the command was signed by whose it is, and is refused for good.

        Cost: three verifications, two decisions and a signature, and a query where a line of long ago was signed.
        """
        if self._refuses is None:
            return
        # The clock of another node may be ahead of ours: no line that this goes by is later than the note.
        at = max(now, written.match.at)
        message = await self.message(written, command, signature, at)
        if message is None or not is_refused_for_good(written, command, keeper, signature):
            return
        seat, digest = seat_of(command), hashlib.sha256(message).hexdigest()
        stream = stream_of(written.match.id)
        refusal = Refusal(stream, seat, signature.n, signature.version, digest, at, no.code)
        no.facts["refusal"] = self._refuses(refusal)

    async def message(
        self, written: MatchAtHead, command: commands.MatchCommand, signature: SeatSignature, at: UnixMs
    ) -> bytes | None:
        """Return the bytes that a seat has signed of its next command; None if it has signed nothing of the kind.

        Cost: a verification, and a query where a line of long ago was signed.
        """
        if signature.version > written.signing.version:
            return None
        head = await self._head(written, signature.version)
        return message_of_refused(written, command, signature, head, at, ed25519_verify)

    async def _head(self, written: MatchAtHead, version: Version) -> bytes:
        if written.signing.has_seen_enough(version):
            return written.signing.head_at(version)
        (line,) = await self._lines.read(stream_of(written.match.id), version - 1, 1)
        return bytes.fromhex(canonical.head(line))
