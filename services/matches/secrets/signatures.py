"""Signatures of seats: a command of a seat with a key is decided only if that key has signed it as the match stands."""

from __future__ import annotations

from domain import commands
from domain.fairness.openings import DealSecrets
from domain.fairness.shapes import Signed
from domain.ids import UnixMs
from domain.match.decide import Decision, decide
from domain.match.record import MatchAtHead
from domain.match.signed_commands import SeatSignature, check_asked, check_key, check_signature, signed_member
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
    made = decide(written.match, command, at, keeper)
    if signature is None:
        return made, None
    first = made.events[0]
    one = check_signature(written, command, signature, first, at, ed25519_verify)
    assert one is not None, "it has come to an event"
    return made, signed_member(one, signature, first)
