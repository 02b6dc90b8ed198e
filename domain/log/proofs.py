"""Anchors and inclusion proofs: what goes into the log for a stream, and that it is there.

An entry is an anchor: that the stream had this head at this line.

    CUP1 anchor
    match/09feebed-f45a-44f6-94c7-cee9cb798097
    8
    86a288ccb78b3ec4b334ba0498ad850515264002ab13e3ac2f459308b5798cdb
    sealed

Source: CUP/1 sections 4.9 and 4.10; C2SP tlog-proof, and tlog-witness for the body of a consistency proof.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from domain.log.checkpoints import decimal, hash_of
from domain.log.notes import Malformed, unbase64

HEADER: Final = "c2sp.org/tlog-proof@v1"
HASHES_MAX: Final = 64
"""An inclusion path is no longer than a tree of 2**63 entries is high; a consistency proof may have one hash more."""


class Inclusion(Struct, frozen=True):
    """That an entry is in the log.

    Attributes:
        index: Its place.
        path: The inclusion path, from the leaf's sibling upwards.
        checkpoint: The note whose tree it leads to.
        extra: Whatever somebody added; never believed.
    """

    index: int
    path: tuple[bytes, ...]
    checkpoint: str
    extra: bytes | None = None


class Consistency(Struct, frozen=True):
    """That the log with `old` entries is the beginning of the log of the checkpoint."""

    old: int
    path: tuple[bytes, ...]
    checkpoint: str


def anchor_entry(stream: str, seq: int, head: str, kind: str) -> bytes:
    """Return the log entry that says which head a stream had.

    Args:
        stream: The stream's name.
        seq: The line's number, from 0.
        head: The line's hash, as hex.
        kind: Why it was logged: `sealed`, `opened`, `live` or `final`.
    """
    return f"CUP1 anchor\n{stream}\n{seq}\n{head}\n{kind}\n".encode()


def encode_inclusion(proof: Inclusion) -> str:
    """Return the proof as a tlog-proof."""
    extra = [] if proof.extra is None else [f"extra {b64encode(proof.extra).decode()}"]
    return _encode([HEADER, *extra, f"index {proof.index}"], proof.path, proof.checkpoint)


def inclusion_of(text: str) -> Inclusion:
    """Return the proof that a tlog-proof spells; its checkpoint is not looked into.

    Raises:
        Malformed: It spells none.
    """
    lines, checkpoint = _parse(text)
    if lines.pop(0) != HEADER:
        raise Malformed("a proof says which format it has")
    extra = None
    if lines and lines[0].startswith("extra "):
        extra = unbase64(lines.pop(0).removeprefix("extra "))
    return Inclusion(_number("index", lines), _path(lines), checkpoint, extra)


def encode_consistency(proof: Consistency) -> str:
    """Return the proof as a witness is sent it."""
    return _encode([f"old {proof.old}"], proof.path, proof.checkpoint)


def consistency_of(text: str) -> Consistency:
    """Return the proof that the body of a request to a witness spells; its checkpoint is not looked into.

    Raises:
        Malformed: It spells none.
    """
    lines, checkpoint = _parse(text)
    return Consistency(_number("old", lines), _path(lines), checkpoint)


def _encode(lines: list[str], path: Sequence[bytes], checkpoint: str) -> str:
    hashes = [b64encode(item).decode() for item in path]
    return "\n".join([*lines, *hashes, "", ""]) + checkpoint


def _parse(text: str) -> tuple[list[str], str]:
    lines, gap, checkpoint = text.partition("\n\n")
    if not gap:
        raise Malformed("a proof ends in a checkpoint")
    return lines.split("\n"), checkpoint


def _number(name: str, lines: list[str]) -> int:
    if not lines or not lines[0].startswith(f"{name} "):
        raise Malformed(f"a proof says its {name}")
    return decimal(lines.pop(0).removeprefix(f"{name} "))


def _path(lines: list[str]) -> tuple[bytes, ...]:
    if len(lines) > HASHES_MAX:
        raise Malformed("a proof is no longer than a tree is high")
    return tuple(hash_of(line) for line in lines)
