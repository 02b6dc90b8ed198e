"""Signatures of seats: a command of a seat with a key is decided only if that key has signed it as the match stands."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from domain import commands
from domain.fairness.openings import DealSecrets
from domain.fairness.shapes import Signed
from domain.ids import UnixMs
from domain.match.decide import Decision, decide
from domain.match.record import MatchAtHead
from domain.match.signed_commands import (
    SeatSignature,
    check_asked,
    check_key,
    check_signature,
    sealed_positions,
    signed_member,
)
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
    one = check_signature(written, command, signature, made.events[0], at, ed25519_verify)
    assert one is not None, "it has come to an event"
    signed = signed_member(one, signature, made.events[0])
    if sealed is None or keeper is None:
        return made, signed
    kept = {f"handled/{keeper.number}/{seq}": msgspec.json.encode(sealed)}
    return replace(made, secrets={**made.secrets, **kept}), signed
