"""Takes anchors to the transparency log, and publishes its checkpoints once enough witnesses have seen them.

There are three steps, each a transaction of its own, and whatever is killed between them, the next one goes on:

    outbox  --grow-->  entries and tree  --ask-->  witnesses  --publish-->  checkpoint

The law of the file: the tree is stored before anybody signs it, and it only grows.

- An anchor is written with the event it speaks of, and leaves the outbox in the transaction that enters it: it is
  neither lost nor entered twice. `live` anchors are written with the cursor that says how far they have come.
- Killed after growing: the entries stand in the tree and nobody vouches for them yet. The next round, here or at
  another notary, publishes a checkpoint that covers them.
- Killed after asking: a witness has seen a tree that is stored and never changes. It names that size the next time,
  and signs the same tree again.
- A checkpoint's text follows from the tree alone, and one row is locked by whoever changes the tree: two notaries sign
  the same text for the same size, never another root. The same size may be published again under a later policy, with
  other witnesses' lines below the same text.
- A note is stored only if it meets the policy in force, judged as an auditor judges it, and a proof is given only under
  a note stored under this policy or a later one. So while a quorum is missing, sealed tables wait, and nothing else.

Whoever has the head of a line can guess the line, if little in it is unknown. So of a match with the dice of a board
the store gives no head that is not shown yet but that of its end. This one, with that of the end of its access stream,
waits in the outbox until the round is over at all tables (CUP/1 section 4.23).

What it cannot mend: a database set back to an older state would let the tree grow otherwise than before. Then witnesses
answer that they have seen more, or another root, and with a quorum nothing is published.

Source: CUP/1 section 4.9.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Final

import structlog
from msgspec import Struct

from domain.log import checkpoints, merkle, proofs
from domain.log.notes import Signer
from domain.log.policies import Untrusted, accept, is_quorum, policy_of
from domain.match.record import PREFIX as MATCH
from infra.clock import now_ms, ticks_s
from infra.keys import ed25519_verify
from infra.measures.tracing import span
from infra.store import Away, EventStore, PendingAnchor, Unavailable
from services.dealer.witness_client import NOBODY, Witnesses
from services.matches.reads.records import inclusion_of_anchor
from services.matches.reads.shared import shared_reads
from services.matches.watching.embargo import Embargo
from services.matches.witnesses import policy_text
from services.work.failures import Unreadable

BATCH: Final = 4_096
"""Anchors that share one checkpoint, at most: about 20 ms of hashing, and 2 MB in one transaction."""
IDLE_S: Final = 0.25
"""How long the notary sleeps when nobody wakes it: the age at which another program's anchors are noticed."""
LIVE_MS: Final = 1_000
"""How often streams that moved get a `live` anchor."""
AGAIN_S: Final = 0.1
AGAIN_MAX_S: Final = 5.0
"""How long to wait before witnesses are asked again, the first time and after many."""

log = structlog.get_logger(__name__)


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
    """The one that writes the log of this house.

    Attributes:
        witnesses: Whom it asks.
        uncovered: How many entries no checkpoint covered when it looked last.
        size: How many entries there were.
    """

    def __init__(
        self,
        store: EventStore,
        origin: str,
        signers: tuple[Signer, ...],
        policy: str | None = None,
        witnesses: Witnesses = NOBODY,
        embargo: Embargo | None = None,
    ) -> None:
        """Write into this store, under this origin, signed by these keys, the newest first.

        Without a policy and witnesses to meet it, the keys of the log are all that a checkpoint needs. What is shown
        of matches is known from an `embargo`, or found out.
        """
        self.on_published: Callable[[], None] | None = None
        self._store = store
        self._origin = origin
        self._signers = signers
        self._policy_text = policy or policy_text(origin, tuple(signer.public_key for signer in signers))
        self._policy = policy_of(self._policy_text)
        self.witnesses = witnesses
        self._number: int | None = None
        self._size: int | None = None
        self._looked = 0
        self._embargo = embargo or shared_reads(store).embargo
        self._kept_back: set[str] = set()
        self._unread: set[str] = set()
        self._live: dict[int, int] = {}
        self._owes = True
        self._trouble: str | None = None
        self._delay_s = AGAIN_S
        self._again_at = 0.0
        self._woken = asyncio.Event()
        self._covered_at = ticks_s()
        self.uncovered = self.size = 0

    @property
    def age_s(self) -> float:
        """How many seconds ago a checkpoint was known to cover the whole log; it is looked once a second."""
        return ticks_s() - self._covered_at

    async def trouble(self) -> str | None:
        """Return why no checkpoint covers the newest anchors; None if one does, or will at once."""
        return self._trouble

    def wake(self) -> None:
        """Let it look at the outbox now."""
        self._woken.set()

    async def run(self) -> None:
        """Work until cancelled. What the store cannot do now is tried again."""
        while True:
            try:
                await self.work()
            # Whatever was not committed is still in the outbox; the next round finds it there.
            except Unavailable as trouble:
                log.warning("notary.waits", why=str(trouble))
            try:
                async with asyncio.timeout(IDLE_S):
                    await self._woken.wait()
            except TimeoutError:
                continue
            self._woken.clear()

    async def work(self) -> None:
        """Take what waits to the log, and publish a checkpoint over it; each step leaves nothing half done."""
        if self._number is None:
            self._number = await self._store.log_enforce(self._policy_text)
        await self._look_at_streams()
        if await self._grow_tree():
            self._owes = True
        if self._owes and asyncio.get_running_loop().time() >= self._again_at:
            await self._publish(self._number)

    async def covered_size(self) -> int:
        """Return how many entries are covered by a checkpoint that meets the policy."""
        newest = await self._store.log_checkpoint(policy=await self._in_force())
        return 0 if newest is None else newest[0]

    async def proof(self, stream: str, seq: int, kind: str) -> Proof | None:
        """Return the proof that an anchor is in the log, under the first checkpoint with it; None while it waits."""
        found = await inclusion_of_anchor(self._store, stream, seq, kind, await self._in_force())
        if found is None:
            return None
        return Proof(found.index, tuple(node.hex() for node in found.path), found.checkpoint)

    async def _in_force(self) -> int:
        """Return the number of the policy in force; a dealer that was started later may have put in another."""
        return len(await self._store.log_policies())

    # ---- the steps ------------------------------------------------------------------------------

    async def _look_at_streams(self) -> None:
        """Once a second, let a `live` anchor wait for each stream that moved, and look for what others left behind.

        Which of several notaries does it, the cursor decides: who finds it moved by another leaves this second to it.
        """
        now = now_ms()
        if abs(now - self._looked) < LIVE_MS:
            return
        for shard, position in (await self._store.positions()).items():
            with suppress(Away):
                await self._look_at_shard(shard, position)
        # The tree may have been grown by a notary that was killed before it published.
        self._looked, self._owes = now, True
        self._kept_back.clear()

    async def _look_at_shard(self, shard: int, position: int) -> None:
        if shard not in self._live:
            self._live[shard] = await self._store.cursor("live", shard)
        if position > self._live[shard]:
            self._live[shard] = await self._store.log_live(shard, self._live[shard])

    async def _grow_tree(self) -> bool:
        """Let the tree grow by everything that waits; report whether anything did.

        A crash before the commit leaves the outbox as it was. Two notaries at once: the second finds the log longer
        than it thought, stores nothing, and looks again. The size is that of before the outbox was read: what waited
        when the log had this size cannot have been entered while it still has it.
        """
        size = await self._store.log_size() if self._size is None else self._size
        # Of what is kept back two anchors wait for each match: that of its end, and of the end of its access stream.
        waiting = await self._shown_of(await self._store.log_pending(BATCH + 2 * len(self._kept_back)))
        if not waiting:
            self._size = size
            return False
        # Until the append is known to be stored, the size may be that of before or of after: it is asked for again.
        self._size = None
        known = await self._store.log_hashes(merkle.nodes_of([(0, size)]))
        entries = [(one, proofs.anchor_entry(one.stream, one.seq, one.head, one.kind)) for one in waiting]
        added: dict[merkle.Place, bytes] = {}
        for index, (_, entry) in enumerate(entries, start=size):
            new = merkle.new_subtrees(index, merkle.leaf_hash(entry), known)
            known.update(new)
            added.update(new)
        if await self._store.log_append(entries, added, size):
            self._size = size + len(entries)
        else:
            self.wake()
        return True

    async def _shown_of(self, waiting: list[PendingAnchor]) -> list[PendingAnchor]:
        """Return the anchors that everybody may know; of the others it is asked again a second later.

        Cost: nothing but for the ends of matches with the dice of a board.
        """
        shown = []
        for one in waiting:
            match = f"{MATCH}{one.stream.partition('/')[2]}"
            if one.board is None or (match not in self._kept_back and not await self._keeps_back(match)):
                shown.append(one)
            else:
                self._kept_back.add(match)
        return shown

    async def _keeps_back(self, match: str) -> bool:
        """Report whether the end of a match is kept back; that of one that cannot be read here, or now, is."""
        try:
            return await self._embargo.keeps_back(match)
        except Away:
            # Its board lies at a database that is away: all others go to the log without it.
            return True
        except Unreadable as trouble:
            if match not in self._unread:
                log.warning("notary.keeps_back", match=match, why=str(trouble))
            self._unread.add(match)
            return True

    async def _publish(self, number: int) -> None:
        """Publish a checkpoint over the whole tree, unless one is, or too few witnesses have seen it."""
        size = await self._store.log_size()
        newest = await self._store.log_checkpoint(policy=number)
        self.size, self.uncovered = size, size - (0 if newest is None else newest[0])
        if newest is None or newest[0] < size:
            with span("notary.checkpoint", entries=self.uncovered):
                note = await self.witnesses.collect_cosignatures(
                    await self._sign_head(size), self._consistency_proof, self._enough
                )
            # Checked as an auditor will: a checkpoint that no policy accepts would stand in records for ever.
            try:
                accept(self._policy, checkpoints.checkpoint_of(note), ed25519_verify)
            except Untrusted as why:
                self._wait(f"{why}, of size {size}; {self.witnesses.troubles}")
                return
            # A crash before this line loses signatures only; witnesses sign the same head again.
            if not await self._store.log_publish(size, note, number):
                self._wait("another program has put another policy in force: start this one with the same witnesses")
                return
            if self.on_published is not None:
                self.on_published()
        if self._trouble is not None:
            log.info("notary.publishes_again", size=size)
        self._covered_at, self.uncovered = ticks_s(), 0
        self._owes, self._trouble, self._delay_s, self._again_at = False, None, AGAIN_S, 0.0

    def _wait(self, why: str) -> None:
        if self._trouble is None:
            log.warning("notary.cannot_publish", why=why)
        self._trouble = why
        self._again_at = asyncio.get_running_loop().time() + self._delay_s
        self._delay_s = min(AGAIN_MAX_S, 2 * self._delay_s)

    async def _sign_head(self, size: int) -> str:
        nodes = await self._store.log_hashes(merkle.nodes_of([(0, size)]))
        return checkpoints.sign_checkpoint(self._origin, size, merkle.hash_of((0, size), nodes), *self._signers)

    async def _consistency_proof(self, old: int, size: int) -> tuple[bytes, ...]:
        """Return the proof that the log of the old size is the beginning of the log of this size."""
        spans = merkle.consistency_spans(old, size) if old else []
        nodes = await self._store.log_hashes(merkle.nodes_of(spans))
        return tuple(merkle.hash_of(span, nodes) for span in spans)

    def _enough(self, witnesses: Collection[str]) -> bool:
        return is_quorum(self._policy, witnesses)
