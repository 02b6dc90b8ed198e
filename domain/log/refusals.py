"""Refusals: what the server signed of a command that it heard and did not take, for the seat that signed it to keep.

    CUP1 refusal
    match/09feebed-f45a-44f6-94c7-cee9cb798097      the stream
    3 1 19                                          the seat, which of its commands it was, how many lines it had seen
    77a58b33c8a8de9ba5a41f73ac65f8bf8c7a1f5a916f... the hash of the message that the seat signed
    1790000000000 claim_not_higher                  when, in Unix milliseconds, and the code

    — example.com/log SC75+eAV...

A signed note by the key of the log, as receipts are, and no text is both: their first lines differ. With the signature
of the seat it proves that a command came in time, whatever became of it. Source: CUP/1 section 4.14.7.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from domain.ids import Seat, UnixMs, Version
from domain.log import notes
from domain.log.checkpoints import decimal
from domain.log.notes import Malformed, Note, Signer

HEADER: Final = "CUP1 refusal"
_TEXT: Final = re.compile(
    rf"{HEADER}\n(match/[0-9a-f-]{{36}})\n([0-9]+) ([0-9]+) ([0-9]+)\n([0-9a-f]{{64}})\n([0-9]+) ([a-z_]{{1,64}})\n"
)


class Refusal(Struct, frozen=True):
    """That a command was heard, and not taken.

    Attributes:
        stream: The stream's name.
        seat: Whose command.
        n: Which of the seat's commands it was.
        version: How many lines its player had seen.
        message: The hash of the message that was signed, as hex.
        at: When, in Unix milliseconds.
        code: Why, as the answer had it.
    """

    stream: str
    seat: Seat
    n: int
    version: Version
    message: str
    at: UnixMs
    code: str

    @property
    def text(self) -> str:
        """The text that is signed."""
        return f"{HEADER}\n{self.stream}\n{self.seat} {self.n} {self.version}\n{self.message}\n{self.at} {self.code}\n"


def sign_refusal(origin: str, refusal: Refusal, *, signers: Sequence[Signer]) -> str:
    """Return the note of a refusal, signed by the keys of the log; the same text each time.

    Cost: one Ed25519 signature for each key.
    """
    return notes.sign(origin, refusal.text, signers)


def refusal_of(text: str) -> tuple[Refusal, Note]:
    """Return the refusal that a note spells, not yet believed by anybody, and the note.

    Raises:
        Malformed: It spells none.
    """
    note = notes.parse(text)
    found = _TEXT.fullmatch(note.text)
    if found is None:
        raise Malformed("a refusal has five lines: what it is, stream, command, hash, time and code")
    stream, seat, n, version, message, at, code = found.groups()
    return Refusal(stream, decimal(seat), decimal(n), decimal(version), message, decimal(at), code), note
