"""The answer of a witness to a log: it signs a head only if it continues the head it signed before.

The law of the file: the heads that a witness signs for one log are one history. So a head of the same size has the same
root, a greater one comes with a proof, and a smaller one is never signed. Whoever asks may be anybody; what counts is
the log's own signature and the proof.

Source: C2SP tlog-witness, add-checkpoint.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum
from typing import Final

from msgspec import Struct

from domain.log import merkle
from domain.log.checkpoints import Checkpoint
from domain.log.notes import Key, Signature, Verify
from domain.log.proofs import Consistency


class Head(Struct, frozen=True):
    """The root of the first `size` entries of a log."""

    size: int
    root: bytes


NOTHING: Final = Head(0, merkle.root([]))
"""The head of a log of which nothing was signed yet: with it every log is consistent."""


class WitnessAnswer(Enum):
    """What a request comes to; the value says it in words."""

    SIGNED = "the checkpoint continues what was signed before"
    UNSIGNED = "no key that is known for this log signed the checkpoint, or a signature does not fit"
    BACKWARDS = "the old size is greater than the checkpoint's"
    BEHIND = "the old size is not that of the newest checkpoint signed here"
    UNPROVED = "the proof does not lead from the newest checkpoint signed here to this one"
    FORKED = "another root was signed here for this size: the log has two histories"


def judge(newest: Head, asked: Consistency, checkpoint: Checkpoint, signed: bool) -> WitnessAnswer:  # noqa: FBT001 - one fact
    """Return whether to sign a checkpoint, or why not; the first reason in the order of the standard.

    Args:
        newest: The head that was signed last for this log, or `NOTHING`.
        asked: The request.
        checkpoint: The checkpoint of the request.
        signed: Whether the log signed it, as `signatures_of` finds.

    Cost: at most two hashes for each hash of the proof.
    """
    head = Head(checkpoint.size, checkpoint.root)
    if not signed:
        return WitnessAnswer.UNSIGNED
    if asked.old > head.size:
        return WitnessAnswer.BACKWARDS
    if asked.old != newest.size:
        return WitnessAnswer.BEHIND
    if contradicts(newest, head):
        return WitnessAnswer.FORKED
    if newest.size == 0 or head == newest:
        return WitnessAnswer.UNPROVED if asked.path else WitnessAnswer.SIGNED
    proved = merkle.extends(newest.size, newest.root, head.size, head.root, asked.path)
    return WitnessAnswer.SIGNED if proved else WitnessAnswer.UNPROVED


def contradicts(newest: Head, head: Head) -> bool:
    """Report whether a head has the size of another and not its root: no log can have both."""
    return head.size == newest.size and head.root != newest.root


def signatures_of(checkpoint: Checkpoint, keys: Collection[Key], verify: Verify) -> tuple[Signature, ...]:
    """Return the lines by which a log signed its checkpoint; none if any that says it is by one of its keys is not.

    Args:
        checkpoint: What was handed in.
        keys: The keys of the log; lines by others are passed over.
        verify: How a signature is checked.

    Cost: at most one verification for each line.
    """
    known = {(key.name, key.id): key.public_key for key in keys}
    lines = [line for line in checkpoint.note.signatures if (line.name, line.key_id) in known]
    text = checkpoint.note.text.encode()
    fit = all(verify(known[line.name, line.key_id], text, line.value) for line in lines)
    return tuple(lines) if fit else ()
