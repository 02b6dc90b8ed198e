"""Stored matches by the ten thousand, made and not played: one real match, copied under ids of its own.

A copy has all a match leaves behind: its lines, chained anew, the stored answers, tokens, a wrapped secret, an access
stream, a row of the lobby, and its anchors in the transparency log with tree and checkpoints. The lines fold and export
as those of any match; their proofs of dice are those of the first, which an auditor would refuse. Rows are copied in
bulk, with the triggers off that check each: only a superuser may, and only a database of the bench's own is for that.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Final
from uuid import UUID

import asyncpg
import msgspec

from domain.audit import access
from domain.log import canonical, merkle
from domain.log.checkpoints import sign_checkpoint
from domain.log.proofs import anchor_entry
from domain.match.record import GENESIS, MatchAtHead, stream_of
from infra.entropy import draw
from infra.store import shard_of
from projections.lobby import row_of, state_of
from projections.view import view_of
from services.cli.bench.clients.matches import ORIGIN, SIGNER, PlayedMatch

SMALL: Final = {"game": "common_hand", "options": {"dice_per_player": 1}, "seats": 2, "pause_ms": 0}
"""Rules of a short match."""
BATCH: Final = 1_000
"""Matches that are copied at once."""
PUBLISHED_EVERY: Final = 100
"""Entries of the log between two checkpoints."""
NAMES: Final = {"p1": "Ada", "p2": "Blaise"}
WRAPPED: Final = bytes(120)
"""As long as the wrapped secret of a deal."""
PREV: Final = b'"prev":"'
DEALT: Final = b'"type":"deal.sealed","v":1}'
POSITIONS: Final = "select shard, position from shard"
UNCHECKED: Final = "set session_replication_role = replica"
BRANCHES: Final = "alter table log_hash enable always trigger log_branch_completes"
"""What the database makes of the tree's hashes it makes here as well."""

Rows = dict[str, list[tuple[Any, ...]]]
COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "event": ("shard", "position", "stream", "seq", "body", "hash"),
    "archive": ("shard", "stream", "version", "first", "last", "head", "positions", "lines"),
    "stream": ("shard", "stream", "version", "ended", "archived"),
    "command": ("shard", "stream", "command", "fingerprint", "answer"),
    "token": ("digest", "stream", "role", "seat"),
    "secret": ("stream", "name", "wrapped"),
    "access_line": ("stream", "seq", "body", "hash"),
    "projection": ("name", "key", "version", "doc", "shelf", "at"),
    "log_entry": ("index", "stream", "seq", "kind", "entry"),
    "log_hash": ("level", "index", "hash"),
    "log_checkpoint": ("size", "note", "policy"),
}
"""What is written, by table."""
_STREAM: Final = COLUMNS["event"].index("stream")


class Stock:
    """The copies in one database.

    Attributes:
        ids: Whose they are, in the order in which they were made.
        last_seq: The number of the last line of each.
    """

    def __init__(self) -> None:
        """Play the match that is copied."""
        played = PlayedMatch(SMALL)
        played.begin()
        while not played.match.ended:
            played.step()
        self.ids: list[UUID] = []
        self._lines = played.lines
        self.last_seq = len(played.lines) - 1
        self._id = str(played.match.id)
        view = view_of(MatchAtHead(played.match, played.head), None, None, NAMES)
        row = row_of(view)
        self._row, self._shelf = msgspec.json.encode(row), state_of(row)
        self._positions: dict[int, int] = {}
        self._edge: dict[merkle.Place, bytes] = {}
        self._size = 0

    @property
    def entries(self) -> int:
        """How many entries the transparency log has."""
        return self._size

    async def grow(self, dsn: str, count: int, *, archived: bool = True) -> None:
        """Have so many matches in this database, in the archive or as they were played, and tell it what it holds."""
        connection = await asyncpg.connect(dsn)
        try:
            await connection.execute(UNCHECKED)
            await connection.execute(BRANCHES)
            # Others may have written since, and positions are dense.
            self._positions = {row["shard"]: row["position"] for row in await connection.fetch(POSITIONS)}
            while len(self.ids) < count:
                rows = self._made(min(BATCH, count - len(self.ids)))
                if archived:
                    _archive(rows)
                async with connection.transaction():
                    for table, columns in COLUMNS.items():
                        schema = "vault" if table == "secret" else "public"
                        await connection.copy_records_to_table(
                            table, records=rows[table], columns=columns, schema_name=schema
                        )
            await self._settle(connection)
        finally:
            await connection.close()

    async def _settle(self, connection: asyncpg.Connection) -> None:
        """Write down how far everything has come, and let the database look at what it holds."""
        for player, name in NAMES.items():
            await connection.execute("insert into person values ($1, $2) on conflict do nothing", player, name)
        for shard, position in self._positions.items():
            await connection.execute("update shard set position = $2 where shard = $1", shard, position)
            for name in ("lobby", "live", "frames"):
                await connection.execute(
                    "insert into projection_cursor (name, shard, position) values ($1, $2, $3)"
                    " on conflict (name, shard) do update set position = excluded.position",
                    *(name, shard, position),
                )
        await connection.execute("update log_state set size = $1", self._size)
        await connection.execute("vacuum analyze")
        await connection.execute("checkpoint")  # or it is written out while something is measured

    def _made(self, count: int) -> Rows:
        rows: Rows = {table: [] for table in COLUMNS}
        for _ in range(count):
            self._copy(UUID(bytes=draw(16), version=4), rows)
        return rows

    def _copy(self, match_id: UUID, rows: Rows) -> None:
        """Add one match to the rows."""
        stream, own = stream_of(match_id), str(match_id)
        shard, prev = shard_of(stream), GENESIS
        for seq, line in enumerate(renamed(self._lines, self._id, own)):
            prev = canonical.head(line)
            self._positions[shard] += 1
            digest = bytes.fromhex(prev)
            rows["event"].append((shard, self._positions[shard], stream, seq, line.decode(), digest))
            answer = msgspec.json.encode({"match": own, "version": seq + 1, "head": prev})
            rows["command"].append((shard, stream, digest, digest, answer))
            if line.endswith(DEALT) or seq == self.last_seq:
                self._anchor(stream, seq, prev, "sealed" if line.endswith(DEALT) else "final", rows)
        rows["stream"].append((shard, stream, len(self._lines), True, False))
        for role, seat in (("host", None), ("seat", 1), ("seat", 2)):
            rows["token"].append((draw(32), stream, role, seat))
        rows["secret"].append((stream, "deal/0", WRAPPED))
        beside = access.stream_of(match_id)
        for seq, line in enumerate(access.new_access_stream(match_id, 0)[0]):
            rows["access_line"].append((beside, seq, line.decode(), hashlib.sha256(line).digest()))
        row = self._row.replace(self._id.encode(), own.encode())
        rows["projection"].append(("lobby", own, len(self._lines), row, self._shelf, len(self.ids)))
        self.ids.append(match_id)

    def _anchor(self, stream: str, seq: int, head: str, kind: str, rows: Rows) -> None:
        """Add an entry to the log, and a checkpoint now and then."""
        entry = anchor_entry(stream, seq, head, kind)
        added = merkle.new_subtrees(self._size, merkle.leaf_hash(entry), self._edge)
        rows["log_entry"].append((self._size, stream, seq, kind, entry))
        rows["log_hash"] += [(*place, node) for place, node in added.items()]
        self._size += 1
        known = self._edge | added
        self._edge = {place: known[place] for place in merkle.nodes_of([(0, self._size)])}
        if self._size % PUBLISHED_EVERY == 0:
            root = merkle.hash_of((0, self._size), self._edge)
            rows["log_checkpoint"].append((self._size, sign_checkpoint(ORIGIN, self._size, root, SIGNER), 1))


def _archive(rows: Rows) -> None:
    """Put the lines of these matches into the archive, a row each."""
    events, rows["event"] = rows["event"], []
    rows["stream"] = [(*row[:-1], True) for row in rows["stream"]]
    for stream, of_one in groupby(events, itemgetter(_STREAM)):
        shards, positions, _, _, bodies, heads = zip(*of_one, strict=True)
        place = (shards[0], stream, len(bodies), positions[0], positions[-1])
        rows["archive"].append((*place, heads[-1], positions, "\n".join(bodies)))


def renamed(lines: Sequence[bytes], before: str, after: str) -> Iterator[bytes]:
    """Yield the lines of a match under another id of the same length, each with the hash of the one before it."""
    prev = GENESIS
    for line in lines:
        named = line.replace(before.encode(), after.encode())
        begin = named.index(PREV) + len(PREV)
        chained = named[:begin] + prev.encode() + named[begin + len(prev) :]
        prev = canonical.head(chained)
        yield chained
