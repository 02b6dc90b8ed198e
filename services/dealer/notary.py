"""Takes anchors to the transparency log and signs its checkpoints (CUP/1 section 4.9).

The anchors wait in an outbox that was written with the events themselves, so a crash loses none; the log remembers which
anchor stands where, so a crash repeats none.
"""

from __future__ import annotations

from msgspec import Struct

from domain.log import checkpoints, merkle, proofs
from infra.events import EventStore
from infra.keys import Ed25519Signer

BATCH = 256
"""Anchors that share one checkpoint."""


class Proof(Struct, frozen=True):
    """That an anchor is in the log.

    Attributes:
        index: Its place.
        path: The inclusion path, in hex, leaf first.
        checkpoint: The signed tree head it leads to.
    """

    index: int
    path: tuple[str, ...]
    checkpoint: str


class Notary:
    """The one that writes the log of this house."""

    def __init__(self, store: EventStore, origin: str, signer: Ed25519Signer) -> None:
        """Write into this store, under this origin, signed by this key."""
        self._store = store
        self._origin = origin
        self._signer = signer
