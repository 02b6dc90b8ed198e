"""Takes anchors to the transparency log and signs its checkpoints (CUP/1 section 4.9).

The anchors wait in an outbox that was written with the events themselves, so a crash loses none; the log remembers
which anchor stands where, so a crash repeats none.
"""

from __future__ import annotations

from msgspec import Struct

from domain.log import checkpoints, merkle, proofs
from infra.events import EventStore
from infra.keys import Ed25519Signer
from services.records import included

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

    async def work(self) -> int:
        """Take what waits in the outbox to the log, under one new checkpoint; return how many anchors went.

        A crash before the commit leaves the outbox as it was. Two notaries at once: the second finds the log longer
        than it thought and does nothing.
        """
        waiting = await self._store.log_pending(BATCH)
        if not waiting:
            return 0
        size = await self._store.log_size()
        known = await self._store.log_hashes(merkle.nodes_of([(0, size)]))
        entries = [(one, proofs.anchor_entry(one.stream, one.seq, one.head, one.kind)) for one in waiting]
        added: dict[merkle.Place, bytes] = {}
        for index, (_, entry) in enumerate(entries, start=size):
            added.update(merkle.grown(index, merkle.leaf_hash(entry), {**known, **added}))
        grown = size + len(entries)
        root = merkle.hash_of((0, grown), {**known, **added})
        checkpoint = checkpoints.signed_checkpoint(self._origin, grown, root, self._signer)
        await self._store.log_append(entries, added, size, checkpoint)
        return len(entries)

    async def proof(self, stream: str, seq: int, kind: str) -> Proof | None:
        """Return the proof that an anchor is in the log, under the first checkpoint with it; None while it waits."""
        found = await included(self._store, stream, seq, kind)
        if found is None:
            return None
        return Proof(found.index, tuple(node.hex() for node in found.path), found.checkpoint)
