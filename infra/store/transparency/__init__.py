"""The transparency log of the house, as a store keeps it: the lines that go there, and what there is to do about it.

In reading order:

    log_tables    its tables in Postgres
    memory        the store's double
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct


class PendingAnchor(Struct, frozen=True):
    """A line that waits to go to the transparency log.

    Attributes:
        board: For the last line of a match and of its access stream: the board whose dice it shares, if it does.
    """

    stream: str
    seq: int
    head: str
    kind: str
    board: str | None = None


class CoveredAnchor(Struct, frozen=True):
    """An anchor that is in the transparency log, under a checkpoint.

    Attributes:
        index: Its place in the log.
        size: How many entries the checkpoint covers.
        note: The checkpoint.
    """

    index: int
    size: int
    note: str


class TransparencyStore(Protocol):
    """The transparency log of the house: what waits for it, its entries, its tree, its checkpoints and policies."""

    async def log_pending(self, limit: int) -> list[PendingAnchor]:
        """Return the anchors that wait, in the order they came."""

    async def log_live(self, shard: int, after: int) -> int:
        """Let an anchor of the kind `live` wait for the last line of each stream of a shard that moved past `after`.

        Of a match that shares the dice of a board, the last `game.released` is meant, if there is a new one: whoever
        has the head of a line that is not shown can guess what it says. A line that any anchor speaks of already gets
        no other. Returns the position reached: pass it the next time.
        Where `after` is not where the store has come, somebody else writes these anchors; then nothing is done but to
        say how far it has come. Which that is, is the cursor `live`.
        """

    async def log_size(self) -> int:
        """Return how many entries the transparency log has. It only grows."""

    async def log_append(
        self, entries: Sequence[tuple[PendingAnchor, bytes]], hashes: Mapping[tuple[int, int], bytes], size: int
    ) -> bool:
        """Store entries from `size` on, with the tree hashes they add; they wait no longer. False if it has grown."""

    async def log_publish(self, size: int, note: str, policy: int) -> bool:
        """Store a checkpoint of this size, unless there is one; False if a later policy is in force than this."""

    async def log_entries(self, first: int, count: int) -> list[bytes]:
        """Return at most `count` entries from this index on, in order."""

    async def log_hashes(self, wanted: Iterable[tuple[int, int]]) -> dict[tuple[int, int], bytes]:
        """Return the tree hashes at these (level, index), as far as they are there."""

    async def log_covered(self, stream: str, seq: int, kind: str, policy: int = 0) -> CoveredAnchor | None:
        """Return where an anchor stands in the log, and the first checkpoint that covers it; None while there is none.

        With `policy`, only those count that were published under the policy of this number or a later one.
        """

    async def log_checkpoint(self, policy: int = 0) -> tuple[int, str] | None:
        """Return size and note of the newest checkpoint, of those that count."""

    async def log_policy_of(self, size: int, note: str) -> int | None:
        """Return the number of the policy that a checkpoint of this size was stored under; None if it is not here."""

    async def log_policies(self) -> list[str]:
        """Return every policy there ever was, in the order they came into force: the first one has the number 1."""

    async def log_enforce(self, text: str) -> int:
        """Put a policy in force from now on, unless it is the newest, and return its number."""
