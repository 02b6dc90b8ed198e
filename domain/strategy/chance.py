"""The chance of an analysis: words that follow from what is analysed, so that whoever repeats it draws the same.

    seed    = SHA-256("truecup-analysis/1" LF head LF policy LF version LF viewpoint LF purpose)
    block k = SHA-256(seed, k as 64 bits), four words of 64 bits each, all big-endian

A draw among so many, `word * total >> 64`, is uneven by less than one part in 2^64 / total. Source: section 9.3 of the
specification.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Sequence
from hashlib import sha256
from itertools import accumulate
from typing import Final

from domain.ids import Version

FORMAT: Final = "truecup-analysis/1"
WORD_BITS: Final = 64
BLOCK_WORDS: Final = 4
_BLOCK = struct.Struct(">4Q")


class Words:
    """A stream of words of 64 bits: the same for the same seed."""

    def __init__(self, seed: bytes) -> None:
        """Begin at the first word of a seed."""
        self._seed = seed
        self._block = 0
        self._words: list[int] = []

    def word(self) -> int:
        """Return the next word. Cost: a hash every four."""
        if not self._words:
            block = sha256(self._seed + self._block.to_bytes(8, "big")).digest()
            self._words = list(reversed(_BLOCK.unpack(block)))
            self._block += 1
        return self._words.pop()

    def many(self, count: int) -> list[int]:
        """Return so many words, the next ones. Cost: a fifth of asking for one after the other."""
        found = [self._words.pop() for _ in range(min(count, len(self._words)))]
        blocks = -(-(count - len(found)) // BLOCK_WORDS)
        numbers = range(self._block, self._block + blocks)
        made = b"".join([sha256(self._seed + number.to_bytes(8, "big")).digest() for number in numbers])
        words = struct.unpack(f">{BLOCK_WORDS * blocks}Q", made)
        self._block += blocks
        wanted = count - len(found)
        self._words = [*reversed(words[wanted:]), *self._words]
        return [*found, *words[:wanted]]

    def draw(self, total: int) -> int:
        """Return one of 0 to `total - 1`, 1 or more."""
        return self.word() * total >> WORD_BITS


def words_for(head: str, policy: str, version: Version, viewpoint: str, purpose: str) -> Words:
    """Return the words for one thing that is estimated.

    Args:
        head: The hash that the record ends in, as hex.
        policy: The id of the policy that is assumed.
        version: The event it is about.
        viewpoint: Whose, such as `public` or `seat.2`.
        purpose: What for, so that no two estimates share their words unless they are meant to.
    """
    text = "\n".join((FORMAT, head, policy, str(version), viewpoint, purpose))
    return Words(sha256(text.encode()).digest())


class Lot:
    """Some integers to be drawn by: each comes up as often as it is large, in the order in which they stand."""

    def __init__(self, weights: Sequence[int]) -> None:
        """Add them up once."""
        self._sums = tuple(accumulate(weights))

    def draw(self, words: Words) -> int:
        """Return the index that a word draws. Cost: the logarithm of how many there are."""
        return bisect_right(self._sums, words.draw(self._sums[-1]))

    def places(self, words: Sequence[int]) -> list[int]:
        """Return the index that each of these words draws."""
        sums, total = self._sums, self._sums[-1]
        if len(sums) == 1:
            return [0] * len(words)
        if total & total - 1 == 0:
            # Of a power of two a draw is the first bits of its word: beliefs sum to one.
            shift = WORD_BITS + 1 - total.bit_length()
            return [bisect_right(sums, word >> shift) for word in words]
        return [bisect_right(sums, word * total >> WORD_BITS) for word in words]


def drawn_together(lots: Sequence[Lot], words: Words, times: int) -> list[list[int]]:
    """Return by lot what is drawn so many times of all of them, one after the other each time."""
    stream = words.many(times * len(lots))
    return [lot.places(stream[at :: len(lots)]) for at, lot in enumerate(lots)]
