"""Checkpoints: what a transparency log says it holds, signed by the log and cosigned by witnesses.

    example.com/log            the origin, which is the name of the log's key
    20852163                   how many entries there are
    CsUYapGGPo4dkMgIAUqom...   the root of the Merkle tree over them, base64

    — example.com/log Az3grl...
    — witness.example/w1 jWbPPw...

Source: C2SP tlog-checkpoint and tlog-cosignature. CUP/1 section 4.9 forbids extension lines.
"""

from __future__ import annotations

from base64 import b64encode
from typing import Final

from msgspec import Struct

from domain.log import notes
from domain.log.merkle import HASH_BYTES
from domain.log.notes import COSIGNATURE, ED25519, Key, Malformed, Note, Signature, Signer, Verify

NUMBER_MAX: Final = 2**63 - 1
"""Sizes, indexes and times are no greater."""
_DIGITS_MAX: Final = len(str(NUMBER_MAX))
_LINES: Final = 3
_TIME_BYTES: Final = 8


class Checkpoint(Struct, frozen=True):
    """A tree head: `root` is that of the first `size` entries of the log `origin`. Not yet believed by anybody."""

    origin: str
    size: int
    root: bytes
    note: Note


def checkpoint_of(text: str) -> Checkpoint:
    """Return the checkpoint that a note spells.

    Raises:
        Malformed: It is none, or has extension lines.
    """
    note = notes.parse(text)
    lines = note.text.split("\n")
    if len(lines) != _LINES + 1 or not lines[0]:
        raise Malformed("a checkpoint has three lines: origin, size, root")
    return Checkpoint(lines[0], decimal(lines[1]), hash_of(lines[2]), note)


def sign_checkpoint(origin: str, size: int, root: bytes, *signers: Signer) -> str:
    """Return the checkpoint of a log, signed by its key; while keys change, by the new one and by the old one.

    Args:
        origin: The log's name, which is its key's name.
        size: How many entries it has.
        root: The root of the tree over them.
        signers: The keys of the log, at least one, in the order of their lines.
    """
    text = f"{origin}\n{size}\n{b64encode(root).decode()}\n"
    ids = [Key(origin, ED25519, signer.public_key).id for signer in signers]
    lines = [Signature(origin, i, signer.sign(text.encode())) for i, signer in zip(ids, signers, strict=True)]
    return str(Note(text, tuple(lines)))


def cosign(checkpoint: str, name: str, at: int, signer: Signer) -> str:
    """Return the checkpoint with one more line: that a witness saw it, consistent with all before it.

    Args:
        checkpoint: A checkpoint that `checkpoint_of` accepts.
        name: The witness's name.
        at: The time, in Unix seconds.
        signer: The witness's key.
    """
    note = notes.parse(checkpoint)
    key = Key(name, COSIGNATURE, signer.public_key)
    value = at.to_bytes(_TIME_BYTES, "big") + signer.sign(_message_of(note.text, at))
    return str(Note(note.text, (*note.signatures, Signature(name, key.id, value))))


def is_signed_by(checkpoint: Checkpoint, key: Key, verify: Verify) -> bool | None:
    """Report whether the log's key signed the checkpoint; None if no line says so."""
    signature = checkpoint.note.by(key)
    return None if signature is None else verify(key.public_key, checkpoint.note.text.encode(), signature.value)


def cosigning_time(checkpoint: Checkpoint, key: Key, verify: Verify) -> int | None:
    """Return when the witness with this key saw the checkpoint, in Unix seconds; None if no line says so.

    Raises:
        Malformed: A line says so, and the signature does not fit.
    """
    signature = checkpoint.note.by(key)
    if signature is None:
        return None
    at = int.from_bytes(signature.value[:_TIME_BYTES], "big")
    message = _message_of(checkpoint.note.text, at)
    if at > NUMBER_MAX or not verify(key.public_key, message, signature.value[_TIME_BYTES:]):
        raise Malformed(f"the cosignature of {key.name} does not fit")
    return at


def decimal(text: str) -> int:
    """Return the number that ASCII digits without a leading zero spell, below 2**63.

    Raises:
        Malformed: They spell none.
    """
    plain = text.isdecimal() and len(text) <= _DIGITS_MAX
    if not plain or str(int(text)) != text or int(text) > NUMBER_MAX:
        raise Malformed("a number is written in digits, without a leading zero, below 2**63")
    return int(text)


def hash_of(text: str) -> bytes:
    """Return the 32 bytes that a base64 text stands for.

    Raises:
        Malformed: It stands for anything else.
    """
    found = notes.unbase64(text)
    if len(found) != HASH_BYTES:
        raise Malformed("a hash has 32 bytes")
    return found


def _message_of(text: str, at: int) -> bytes:
    return f"cosignature/v1\ntime {at}\n{text}".encode()
