"""From a die's key to its value, exactly uniform (CUP/1 sections 4.1 and 5.5)."""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from struct import Struct as Layout
from typing import Final

MODULUS_MAX: Final = 256
_ADDRESS: Final = Layout(">BHB")
_BLOCK: Final = Layout(">HI")


def address(cup: int, roll: int, slot: int) -> bytes:
    """Return the four bytes of a die's address."""
    return _ADDRESS.pack(cup, roll, slot)


def value_of(key: bytes, mix: bytes, at: bytes, m: int) -> int:
    """Return the value of a die, 0 to m - 1.

    Args:
        key: The die's key, 32 bytes.
        mix: What the seeds of all seats came to.
        at: The die's address.
        m: The modulus, 1 to 256.

    Cost: one HMAC; a second one less than once in 10**50 for a six-sided die.
    """
    counter = 0
    while True:
        block = hmac.digest(key, b"CUP1.die" + mix + at + _BLOCK.pack(m, counter), "sha256")
        value = accepted(block, m)
        if value is not None:
            return value
        counter += 1


def accepted(block: Iterable[int], m: int) -> int | None:
    """Return the first byte below the largest multiple of m, modulo m; None if every byte is rejected."""
    limit = MODULUS_MAX - MODULUS_MAX % m
    return next((byte % m for byte in block if byte < limit), None)
