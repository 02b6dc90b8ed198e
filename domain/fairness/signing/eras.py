"""The lines that one key signed.

Each message holds the hash of the one before, so the last good signature of a key bears out all lines before it, and a
sound record costs one verification for each key. Source: CUP/1 section 4.14.6, step 5.
"""

from __future__ import annotations

from msgspec import Struct, field

from domain.log.notes import Verify


class SignedLine(Struct, frozen=True):
    """A line that a seat signed.

    Attributes:
        seq: Its place in the stream, from 0.
        message: The bytes that were signed.
        signature: 64 bytes.
    """

    seq: int
    message: bytes
    signature: bytes


class Era(Struct):
    """The lines that were signed by one key while it was the key of its seat."""

    key: bytes
    lines: list[SignedLine] = field(default_factory=list)

    def first_not_borne_out(self, verify: Verify) -> int | None:
        """Return the place of the first line that no signature bears out; None if there is none.

        Cost: a verification, and one more for each signature at the end that is none of this key.
        """
        unborne = None
        for line in reversed(self.lines):
            if verify(self.key, line.message, line.signature):
                return unborne
            unborne = line.seq
        return unborne
