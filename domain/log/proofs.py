"""What a record carries to prove that it is in the log: anchors, tlog-proof@v1, consistency (CUP/1 sections 4.9, 4.10)."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from domain.log.notes import Malformed, strict_base64

HEADER: Final = "c2sp.org/tlog-proof@v1"
_HASH_BYTES: Final = 32
HASHES_MAX: Final = 63
"""A path in a tree of at most 2**63 leaves; tlog-proof allows no more."""


class Inclusion(Struct, frozen=True):
    """That an entry is in a log: its index, the path from the leaf up, the signed head it leads to."""

    index: int
    path: tuple[bytes, ...]
    checkpoint: str


class Consistency(Struct, frozen=True):
    """That a log only grew: the older size, the proof, the newer signed head."""

    old: int
    path: tuple[bytes, ...]
    checkpoint: str


def anchor_entry(stream: str, seq: int, head: str, kind: str) -> bytes:
    """Return the log entry that anchors a line: its stream, place and hash, and which kind of moment it is."""
    return f"CUP1 anchor\n{stream}\n{seq}\n{head}\n{kind}\n".encode()


def encode_inclusion(proof: Inclusion) -> str:
    """Return the proof as tlog-proof@v1."""
    return f"{HEADER}\nindex {proof.index}\n{_lines(proof.path)}\n{proof.checkpoint}"


def inclusion_of(text: str) -> Inclusion:
    """Return the proof that this text is.

    Raises:
        Malformed: It is no tlog-proof@v1.
    """
    head, _, checkpoint = text.partition("\n\n")
    lines = head.split("\n")
    if lines[0] != HEADER or len(lines) < 2:  # noqa: PLR2004 - the header and the index
        raise Malformed("this is no tlog-proof@v1")
    extra = 1 if lines[1].startswith("extra ") else 0
    if extra:
        strict_base64(lines[1].removeprefix("extra "))
    index = _number(lines[1 + extra] if len(lines) > 1 + extra else "", "index ")
    return Inclusion(index, _hashes(lines[2 + extra :]), checkpoint)


def encode_consistency(proof: Consistency) -> str:
    """Return the proof as the body of a witness's `add-checkpoint`."""
    return f"old {proof.old}\n{_lines(proof.path)}\n{proof.checkpoint}"


def consistency_of(text: str) -> Consistency:
    """Return the proof that this text is.

    Raises:
        Malformed: It is none.
    """
    head, _, checkpoint = text.partition("\n\n")
    lines = head.split("\n")
    return Consistency(_number(lines[0], "old "), _hashes(lines[1:]), checkpoint)


def _lines(path: Sequence[bytes]) -> str:
    return "".join(f"{b64encode(node).decode()}\n" for node in path)


def _hashes(lines: list[str]) -> tuple[bytes, ...]:
    found = tuple(strict_base64(line) for line in lines)
    if len(found) > HASHES_MAX or any(len(node) != _HASH_BYTES for node in found):
        raise Malformed("a path is hashes of 32 bytes")
    return found


def _number(line: str, word: str) -> int:
    digits = line.removeprefix(word)
    if not line.startswith(word) or not (digits.isascii() and digits.isdigit()) or len(digits) > 19:  # noqa: PLR2004
        raise Malformed(f"a line with {word}and a number is missing")
    if str(int(digits)) != digits:
        raise Malformed("a number has no leading zeros")
    return int(digits)
