"""A transparency log in memory: entries, checkpoints, proofs, and whole records, signed as a house signs them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

from domain.fairness.records import assemble
from domain.log import merkle
from domain.log.checkpoints import sign_checkpoint
from domain.log.notes import ED25519, Key
from domain.log.proofs import Consistency, Inclusion, anchor_entry
from infra.keys import Ed25519Signer

REHEARSAL: Final = "rehearsal.example/log"
"""The name of a log that a rehearsal keeps for itself: its keys are thrown away, and no house has it."""


class Ledger:
    """A log that one process keeps for itself.

    Attributes:
        origin: Its name.
        policy: The text of the policy that believes it.
    """

    def __init__(self, origin: str, secret: bytes) -> None:
        """Begin empty, with a key that follows from 32 secret bytes."""
        self.origin = origin
        self._signer = Ed25519Signer(secret)
        self._leaves: list[bytes] = []
        self.policy = f"log {Key(origin, ED25519, self._signer.public_key)}\nquorum none\n"

    @property
    def size(self) -> int:
        """How many entries there are."""
        return len(self._leaves)

    def enter(self, stream: str, seq: int, line: bytes, kind: str) -> Inclusion:
        """Enter a line, and return the proof under a checkpoint of its own."""
        entry = anchor_entry(stream, seq, hashlib.sha256(line).hexdigest(), kind)
        self._leaves.append(merkle.leaf_hash(entry))
        size, known = len(self._leaves), merkle.subtrees(self._leaves)
        checkpoint = sign_checkpoint(self.origin, size, merkle.root(self._leaves), self._signer)
        spans = merkle.inclusion_spans(size, size - 1)
        return Inclusion(size - 1, tuple(merkle.hash_of(span, known) for span in spans), checkpoint)

    def record(self, stream: str, lines: Sequence[bytes], sizes: Sequence[int]) -> bytes:
        """Return the record file of a stream that has ended: its last line is entered, and the log only grew.

        Args:
            stream: Its name.
            lines: Its lines.
            sizes: The sizes of the checkpoints that stand in them.
        """
        final = self.enter(stream, len(lines) - 1, lines[-1], "final")
        known, size = merkle.subtrees(self._leaves), len(self._leaves)
        grown = [
            Consistency(
                old,
                tuple(merkle.hash_of(span, known) for span in merkle.consistency_spans(old, size)),
                final.checkpoint,
            )
            for old in sizes
            if old < size
        ]
        return assemble(lines, final, grown)
