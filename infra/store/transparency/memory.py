"""The transparency log in the store's double, and the lines that it speaks of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Final

from msgspec.structs import replace

from infra.store import SHARDS, CoveredAnchor, PendingAnchor, Recorded

_RELEASED: Final = b'"type":"game.released","v":1}'


class MemoryTransparency:
    """The part of the double that keeps the transparency log."""

    def __init__(self) -> None:
        """Begin empty."""
        super().__init__()
        self._streams: dict[str, list[bytes]] = {}
        self._log: dict[int, list[Recorded]] = {shard: [] for shard in range(SHARDS)}
        self._cursors: dict[tuple[str, int], int] = {}
        self._outbox: dict[PendingAnchor, None] = {}
        self._entries: list[tuple[PendingAnchor, bytes]] = []
        self._hashes: dict[tuple[int, int], bytes] = {}
        self._checkpoints: dict[tuple[int, int], str] = {}
        self._policies: list[str] = []

    async def log_pending(self, limit: int) -> list[PendingAnchor]:
        """Return the anchors that wait."""
        return [replace(one, board=self._board_of(one)) for one in islice(self._outbox, limit)]

    def _board_of(self, anchor: PendingAnchor) -> str | None:
        kind, _, match = anchor.stream.partition("/")
        known = self._streams.get(f"match/{match}") if anchor.kind == "final" and kind in {"match", "access"} else None
        return None if known is None else _board_in(known[0])

    async def log_live(self, shard: int, after: int) -> int:
        """Put the newest heads of streams that moved into the outbox."""
        there = self._cursors.get(("live", shard), 0)
        if there != after:
            return there
        spoken_of = {(one.stream, one.seq) for one in (*self._outbox, *(anchor for anchor, _ in self._entries))}
        newest = {row.stream: row for row in self._log[shard][after:] if self._is_shown(row)}
        for row in newest.values():
            if (row.stream, row.seq) not in spoken_of:
                self._outbox[PendingAnchor(row.stream, row.seq, hashlib.sha256(row.line).hexdigest(), "live")] = None
        self._cursors["live", shard] = len(self._log[shard])
        return len(self._log[shard])

    def _is_shown(self, row: Recorded) -> bool:
        """Report whether everybody may see a line, and those before it."""
        own = not row.stream.startswith("match/") or _board_in(self._streams[row.stream][0]) is None
        return own or row.line.endswith(_RELEASED)

    async def log_size(self) -> int:
        """Return how many entries the transparency log has."""
        return len(self._entries)

    async def log_append(
        self, entries: Sequence[tuple[PendingAnchor, bytes]], hashes: Mapping[tuple[int, int], bytes], size: int
    ) -> bool:
        """Store entries with their tree hashes."""
        if size != len(self._entries):
            return False
        self._entries.extend(entries)
        self._hashes.update(hashes)
        for anchor, _ in entries:
            del self._outbox[replace(anchor, board=None)]
        return True

    async def log_publish(self, size: int, note: str, policy: int) -> bool:
        """Store a note, if its policy is in force; whoever is second changes nothing."""
        assert size <= len(self._entries), "a tree is stored before anybody vouches for it"
        if policy < len(self._policies):
            return False
        self._checkpoints.setdefault((size, policy), note)
        return True

    async def log_entries(self, first: int, count: int) -> list[bytes]:
        """Return the entries from an index on."""
        return [entry for _, entry in self._entries[first : first + count]]

    async def log_hashes(self, wanted: Iterable[tuple[int, int]]) -> dict[tuple[int, int], bytes]:
        """Return the tree hashes at these places."""
        return {place: self._hashes[place] for place in wanted if place in self._hashes}

    async def log_covered(self, stream: str, seq: int, kind: str, policy: int = 0) -> CoveredAnchor | None:
        """Return where an anchor stands in the log, and the first checkpoint that covers it."""
        wanted = (stream, seq, kind)
        index = next((i for i, (a, _) in enumerate(self._entries) if (a.stream, a.seq, a.kind) == wanted), None)
        known = sorted(one for one in self._checkpoints if index is not None and one[0] > index and one[1] >= policy)
        return None if index is None or not known else CoveredAnchor(index, known[0][0], self._checkpoints[known[0]])

    async def log_checkpoint(self, policy: int = 0) -> tuple[int, str] | None:
        """Return the newest checkpoint."""
        newest = max((one for one in self._checkpoints if one[1] >= policy), default=None)
        return None if newest is None else (newest[0], self._checkpoints[newest])

    async def log_policy_of(self, size: int, note: str) -> int | None:
        """Return the number of the policy that a checkpoint was stored under."""
        found = (number for (covers, number), text in self._checkpoints.items() if (covers, text) == (size, note))
        return next(found, None)

    async def log_policies(self) -> list[str]:
        """Return every policy, in the order they came into force."""
        return list(self._policies)

    async def log_enforce(self, text: str) -> int:
        """Put a policy in force, unless it is."""
        if self._policies[-1:] != [text]:
            self._policies.append(text)
        return len(self._policies)


def _board_in(first: bytes) -> str | None:
    """Return the board whose dice a match shares, by its first line."""
    board = json.loads(first)["data"].get("rules", {}).get("board")
    return board["id"] if isinstance(board, dict) else None
