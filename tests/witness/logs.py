"""A log as a witness meets it: it may have several histories, and asks for each of them to be signed."""

from __future__ import annotations

from itertools import pairwise

from domain.log import merkle
from domain.log.checkpoints import Checkpoint, checkpoint_of, sign_checkpoint
from domain.log.notes import ED25519, Key
from domain.log.proofs import Consistency, encode_consistency
from infra.keys import Ed25519Signer

ORIGIN = "dice.example/log"
SIGNER = Ed25519Signer(b"the log of the tests of witness ")
KEY = Key(ORIGIN, ED25519, SIGNER.public_key)


class History:
    """Leaves that a log claims to have; what is cut off another history begins like it."""

    def __init__(self, leaves: list[bytes]) -> None:
        self.leaves = leaves
        self._known = merkle.subtrees(leaves)

    @classmethod
    def of(cls, words: str) -> History:
        """Return the history with a leaf for each letter."""
        return cls([merkle.leaf_hash(letter.encode()) for letter in words])

    def root(self, size: int) -> bytes:
        return merkle.hash_of((0, size), self._known)

    def checkpoint(self, size: int, signer: Ed25519Signer = SIGNER, origin: str = ORIGIN) -> str:
        return sign_checkpoint(origin, size, self.root(size), signer)

    def request(self, old: int, size: int, checkpoint: str | None = None) -> bytes:
        """Return the request to sign the head of this size, with the proof from the old size where there is one."""
        spans = merkle.consistency_spans(old, size) if 0 < old <= size else []
        path = tuple(merkle.hash_of(span, self._known) for span in spans)
        return encode_consistency(Consistency(old, path, checkpoint or self.checkpoint(size))).encode()


def is_one_history(signed: list[tuple[History, int]]) -> bool:
    """Report whether each of these heads begins like the next greater one."""
    ordered = sorted(signed, key=lambda one: one[1])
    return all(
        merkle.root(greater.leaves[:size]) == smaller.root(size) for (smaller, size), (greater, _) in pairwise(ordered)
    )


def with_line(checkpoint: str, line: str) -> Checkpoint:
    """Return the checkpoint with what a witness answered behind it."""
    return checkpoint_of(checkpoint + line)
