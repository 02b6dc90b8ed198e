"""Uniform sampling: a value of a die from its key, every value being equally likely.

Source: CUP/1 sections 4.1 and 5.5.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from functools import partial
from itertools import chain, count
from typing import Final

MODULUS_MAX: Final = 256
BYTE_VALUES: Final = 256


def value(key: bytes, mix: bytes, address: bytes, m: int) -> int:
    """Return the value at an address, 0 to m - 1.

    Args:
        key: The key of the address, 32 bytes.
        mix: What all seeds of the deal came to, 32 bytes.
        address: Cup, roll and slot, as `deal.address` packs them.
        m: How many values there are, 1 to 256; 6 for a die.

    Cost: one HMAC; a second one less than once in 2**32.

    Raises:
        ValueError: `m` is out of range.
    """
    blocks = map(partial(_block, key, b"CUP1.die" + mix + address, m), count())
    return sample(chain.from_iterable(blocks), m)


def sample(stream: Iterable[int], m: int) -> int:
    """Return the first byte of the stream that favours nobody, modulo m.

    Bytes from the largest multiple of m upwards are passed over: the rest hold every residue equally often.

    Raises:
        ValueError: `m` is not from 1 to 256.
    """
    if not 1 <= m <= MODULUS_MAX:
        raise ValueError("a modulus is from 1 to 256")
    # Single bytes, not words, so that one in sixty is passed over for a die and the passing over is tested.
    limit = BYTE_VALUES - BYTE_VALUES % m
    return next(byte for byte in stream if byte < limit) % m


def _block(key: bytes, message: bytes, m: int, block: int) -> bytes:
    return hmac.digest(key, message + m.to_bytes(2, "big") + block.to_bytes(4, "big"), "sha256")
