"""Sealed choices: which hidden dice a player rolled again, fixed now and shown only when the dice are.

How many is public. The key of the blind slot, which is rolled along and says nothing, hides which.

Source: CUP/1 section 4.12.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence

from domain.events import Choice
from domain.fairness.deal import address
from domain.ids import CupId, Slot


def seal(choice: Choice, key: bytes, mix: bytes, cup: CupId, slot: Slot) -> bytes:
    """Return what fixes a choice without showing it.

    Args:
        choice: The positions, and the roll of the cup they led to.
        key: The key of the blind slot, 32 bytes.
        mix: What the seeds of the deal came to.
        cup: The cup's id.
        slot: The blind slot, which is the number of dice of the cup.
    """
    positions = b"".join(map(_encode_positions, (choice.roll_inside, choice.roll_outside, choice.outside)))
    return hmac.digest(key, b"CUP1.cho" + mix + address(cup, choice.roll, slot) + positions, "sha256")


def _encode_positions(positions: Sequence[int]) -> bytes:
    return bytes([len(positions), *positions])
