"""Checkpoints: the signed head of a log (C2SP tlog-checkpoint), and who has cosigned it (tlog-cosignature).

The text is three lines: the log's origin, the number of entries, the root in base64. No others are allowed here.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from domain.log.notes import COSIGNATURE, Key, Malformed, Note, Signer, Verify, parse, signed, strict_base64

_HASH_BYTES: Final = 32
_TIME_BYTES: Final = 8
SIZE_MAX: Final = 2**63 - 1


class Checkpoint(Struct, frozen=True):
    """A head of a log, as its note says; who signed it is another question."""

    origin: str
    size: int
    root: bytes
    note: Note


def checkpoint_of(text: str) -> Checkpoint:
    """Return the checkpoint that this note is.

    Raises:
        Malformed: It is none.
    """
    note = parse(text)
    lines = note.text.removesuffix("\n").split("\n")
    if len(lines) != 3:  # noqa: PLR2004 - origin, size, root
        raise Malformed("a checkpoint is origin, size and root")
    origin, size, root = lines[0], lines[1], strict_base64(lines[2])
    if not (size.isascii() and size.isdigit()) or str(int(size[:20])) != size or int(size) > SIZE_MAX:
        raise Malformed("a size is a number without leading zeros")
    if not origin or len(root) != _HASH_BYTES:
        raise Malformed("a checkpoint has an origin and a root of 32 bytes")
    return Checkpoint(origin, int(size), root, note)


def text_of(origin: str, size: int, root: bytes) -> str:
    """Return the text of a checkpoint, which is what gets signed."""
    return f"{origin}\n{size}\n{b64encode(root).decode()}\n"


def signed_checkpoint(origin: str, size: int, root: bytes, signer: Signer) -> str:
    """Return the checkpoint of a log, signed by its key under the log's own name."""
    return signed(text_of(origin, size, root), origin, signer)


def cosigned_at(checkpoint: Checkpoint, witnesses: Iterable[Key], verify: Verify) -> dict[Key, int]:
    """Return when each of these witnesses cosigned, in Unix seconds; those that did not, or not validly, are left out.

    Source: C2SP tlog-cosignature, cosignature/v1.
    """
    known = {(key.name, key.id): key for key in witnesses if key.kind == COSIGNATURE}
    found: dict[Key, int] = {}
    for line in checkpoint.note.signatures:
        key = known.get((line.name, line.key_id))
        if key is None or key in found:
            continue
        time = int.from_bytes(line.signature[:_TIME_BYTES], "big")
        message = f"cosignature/v1\ntime {time}\n{checkpoint.note.text}".encode()
        if verify(key.public_key, message, line.signature[_TIME_BYTES:]):
            found[key] = time
    return found
