"""The bytes that a seat signs, and what it commits to beside them.

    message  "CUP1.cmd" match(16) seat(1) n(4) version(4) head(32) prev(32) H(canonical JSON of the command)   129 bytes
    name     H("CUP1.nam" salt(32) name)
    sealed   M(salt, "CUP1.pos" canonical JSON of the positions)

Each message holds the hash of the one its seat signed before, so one signature says all of them. Source: CUP/1
sections 4.14.1 to 4.14.3.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import Mapping, Sequence
from typing import Any, Final

from domain.log import canonical

LABEL: Final = b"CUP1.cmd"
NOTHING_BEFORE: Final = bytes(32)
"""What stands for the message before, in a join."""
NO_SEAT: Final = 0
"""The seat in the message of a join: none is given yet."""
_HEADER: Final = struct.Struct(">8s16sBII32s32s32s")


def message_of(
    match: bytes,
    seat: int,
    n: int,
    version: int,
    head: bytes,
    before: bytes,
    command: Mapping[str, Any],
    label: bytes = LABEL,
) -> bytes:
    """Return the 129 bytes that stand for a command, for its seat to sign.

    Args:
        match: The 16 bytes of the match's id.
        seat: The seat, 1 to 254; `NO_SEAT` in a join.
        n: Which of the seat's commands it is: 0 in the join, then 1, 2, 3 without gaps.
        version: How many lines of the stream the player had seen, at least 1.
        head: The hash of the last of them, 32 bytes.
        before: The hash of the message this seat signed before, 32 bytes; `NOTHING_BEFORE` in a join.
        command: The command in its public form, without the seat.
        label: What tells such messages from all others, 8 bytes.

    Raises:
        canonical.NotCanonical: The command is no JSON of the narrow profile.
    """
    said = hashlib.sha256(canonical.encode(command)).digest()
    return _HEADER.pack(label, match, seat, n, version, head, before, said)


def name_commitment(salt: bytes, name: str) -> str:
    """Return what fixes a name without saying it, as hex; `salt` is 32 fresh bytes."""
    return hashlib.sha256(b"CUP1.nam" + salt + name.encode()).hexdigest()


def seal_positions(salt: bytes, positions: Mapping[str, Sequence[int]]) -> str:
    """Return what fixes which dice a player handles, as hex.

    Args:
        salt: 32 fresh bytes, the player's own.
        positions: `inside`, `outside`, `roll_inside` and `roll_outside`, 0-based positions of dice.
    """
    return hmac.digest(salt, b"CUP1.pos" + canonical.encode(positions), "sha256").hex()
