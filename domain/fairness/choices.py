"""Sealed choices: which hidden dice were handled is nobody's business, and still provable (CUP/1 section 4.12)."""

from __future__ import annotations

import hmac
from collections.abc import Sequence


def choice(key: bytes, mix: bytes, at: bytes, placements: Sequence[Sequence[int]]) -> bytes:
    """Return the commitment to which positions were rolled inside, rolled outside and kept outside, in this order.

    Args:
        key: The key of the roll's blind slot.
        mix: What the seeds of the deal came to.
        at: The blind slot's address.
        placements: Positions in the owner's numbering, ascending, one group a placement.
    """
    groups = b"".join(bytes([len(group), *group]) for group in placements)
    return hmac.digest(key, b"CUP1.cho" + mix + at + groups, "sha256")
