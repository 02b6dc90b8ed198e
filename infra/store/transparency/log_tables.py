"""The transparency log in Postgres: what waits for it, what it holds, the tree over it, the heads it has published.

Whoever changes any of it holds the one row of `log_state`, so there is one writer at a time in all programs together.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

import asyncpg

from infra.store import CoveredAnchor, PendingAnchor

# At the end of a match and of its access stream with the board that the rules in its first line name. A match goes to
# the archive only after its last anchor, and then nothing of it waits but what everybody may know.
PENDING = (
    "select o.stream, o.seq, o.head, o.kind, case when o.kind = 'final' and o.stream ~ '^(match|access)/' then"
    " (select f.body::jsonb #>> '{data,rules,board,id}' from event f"
    " where f.shard = o.shard and f.stream = 'match/' || split_part(o.stream, '/', 2) and f.seq = 0)"
    " end from log_outbox o where exists (select from shard h where h.shard = o.shard and h.closed_at is null)"
    " order by o.shard, o.position, o.seq limit $1"
)
SIZE = "select size from log_state"
LOCK = "select size from log_state for no key update"
GROW = "update log_state set size = $1"
ENTER = (
    "insert into log_entry (index, stream, seq, kind, entry)"
    " select * from unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::bytea[])"
)
NODES = "insert into log_hash (level, index, hash) select * from unnest($1::smallint[], $2::bigint[], $3::bytea[])"
CLEAR = (
    "delete from log_outbox o using unnest($1::text[], $2::bigint[], $3::text[]) as g (stream, seq, kind)"
    " where o.stream = g.stream and o.seq = g.seq and o.kind = g.kind"
)
# At a primary that is not the home: of what waited there it keeps the entries, since no line is anchored twice.
SETTLE = (
    "with given as (select * from unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::bytea[])"
    " as g (index, stream, seq, kind, entry)), gone as ("
    " delete from log_outbox o using given g where o.stream = g.stream and o.seq = g.seq and o.kind = g.kind"
    " returning g.index)"
    " insert into log_entry (index, stream, seq, kind, entry)"
    " select g.index, g.stream, g.seq, g.kind, g.entry from given g join gone using (index) on conflict do nothing"
)
ENTERED = (
    "select l.index, l.stream, l.seq, l.kind, l.entry"
    " from unnest($1::text[], $2::bigint[], $3::text[]) as g (stream, seq, kind)"
    " cross join lateral (select e.* from log_entry e"
    " where e.stream = g.stream and e.seq = g.seq and e.kind = g.kind limit 1) l"
)
NOTE = "insert into log_checkpoint (size, policy, note) values ($1, $2, $3) on conflict do nothing"
ENTRIES = "select entry from log_entry where index >= $1 and index < $1 + $2::int order by index"
# From the branch that has it, where that is complete: its levels follow each other, 16, 8, 4 and 2 hashes.
HASHES = (
    "select g.level, g.index, coalesce("
    "(select substr(b.hashes, 32 * (32 - (32 >> g.level % 4) + (g.index & ((16 >> g.level % 4) - 1)))::int + 1, 32)"
    " from log_branch b where b.level = (g.level / 4) * 4 and b.index = g.index >> (4 - g.level % 4)),"
    " (select h.hash from log_hash h where h.level = g.level and h.index = g.index)"
    ") as hash from unnest($1::smallint[], $2::bigint[]) as g (level, index)"
)
COVERED = (
    "select l.index, c.size, c.note from log_entry l cross join lateral"
    " (select size, note from log_checkpoint where size > l.index and policy >= $4 order by size, policy limit 1) c"
    " where l.stream = $1 and l.seq = $2 and l.kind = $3"
)
NEWEST = "select size, note from log_checkpoint where policy >= $1 order by size desc, policy desc limit 1"
POLICY_OF = "select policy from log_checkpoint where size = $1 and note = $2"
LATER = "select exists (select from log_policy where number > $1)"
POLICIES = "select text from log_policy order by number"
ENFORCE = "insert into log_policy (number, text) values ($1, $2)"
CURSOR_LOCK = "select position from projection_cursor where name = 'live' and shard = $1 for update"
# The newest line of each stream that has moved, unless an anchor says its head already, whatever its kind. Where dice
# are those of a board, it is the newest one that says that a round is over everywhere: what follows is not shown yet.
LIVE = (
    "with moved as materialized ("
    ' select stream, seq, hash, position, body like \'%"type":"game.released","v":1}\' as releases'
    " from event where shard = $1 and position > $2 and position <= $3),"
    " embargoed as materialized ("
    " select m.stream from (select distinct stream from moved where stream like 'match/%') m where ("
    " select f.body::jsonb #>> '{data,rules,board,id}' from event f"
    " where f.shard = $1 and f.stream = m.stream and f.seq = 0) is not null),"
    " newest as ("
    " select distinct on (m.stream) m.stream, m.seq, m.hash, m.position from moved m"
    " where m.releases or m.stream not in (select stream from embargoed) order by m.stream, m.seq desc)"
    " insert into log_outbox (stream, seq, kind, head, shard, position)"
    " select n.stream, n.seq, 'live', encode(n.hash, 'hex'), $1, n.position from newest n"
    " where not exists (select from log_outbox o where o.stream = n.stream and o.seq = n.seq)"
    " and not exists (select from log_entry l where l.stream = n.stream and l.seq = n.seq)"
)
REACHED = "select position from shard where shard = $1"
CURSOR_MOVE = "update projection_cursor set position = $2 where name = 'live' and shard = $1"

STATEMENTS = tuple(text for name, text in list(globals().items()) if name.isupper() and isinstance(text, str))


class TransparencyTables(ABC):
    """The part of the Postgres store that keeps the transparency log."""

    @abstractmethod
    async def _fetch(self, query: str, *args: object) -> list[asyncpg.Record]:
        """Return the rows of a query."""

    @abstractmethod
    def _transaction(self) -> AbstractAsyncContextManager[Any]:
        """Lend a connection in a transaction."""

    async def log_pending(self, limit: int) -> list[PendingAnchor]:
        """Return the anchors that wait."""
        return [PendingAnchor(*row) for row in await self._fetch(PENDING, limit)]

    async def log_live(self, shard: int, after: int) -> int:
        """Put the newest heads of streams that moved into the outbox, in one transaction with the cursor."""
        async with self._transaction() as connection:
            there = int(await connection.fetchval(CURSOR_LOCK, shard))
            if there != after:
                return there
            # What is being logged just now is seen either in the outbox or in the log, never in neither.
            await connection.fetchval(LOCK)
            reached = int(await connection.fetchval(REACHED, shard))
            await connection.execute(LIVE, shard, after, reached)
            await connection.execute(CURSOR_MOVE, shard, reached)
        return reached

    async def log_size(self) -> int:
        """Return how many entries the transparency log has."""
        return int((await self._fetch(SIZE))[0]["size"])

    async def log_append(
        self, entries: Sequence[tuple[PendingAnchor, bytes]], hashes: Mapping[tuple[int, int], bytes], size: int
    ) -> bool:
        """Store entries with their tree hashes, in one transaction: a crash leaves none of them."""
        anchors = [anchor for anchor, _ in entries]
        places = list(hashes)
        async with self._transaction() as connection:
            if await connection.fetchval(LOCK) != size:
                return False
            columns = ([a.stream for a in anchors], [a.seq for a in anchors], [a.kind for a in anchors])
            indexes = list(range(size, size + len(entries)))
            await connection.execute(ENTER, indexes, *columns, [entry for _, entry in entries])
            levels = [level for level, _ in places], [index for _, index in places]
            await connection.execute(NODES, *levels, [hashes[place] for place in places])
            await connection.execute(CLEAR, *columns)
            await connection.execute(GROW, size + len(entries))
        return True

    async def log_settle(self, entries: Sequence[tuple[int, PendingAnchor, bytes]]) -> None:
        """Let these anchors wait no longer here, each with its index in the log of the home, which it has gone to."""
        indexes, anchors, texts = zip(*entries, strict=True)
        columns = ([a.stream for a in anchors], [a.seq for a in anchors], [a.kind for a in anchors])
        await self._fetch(SETTLE, list(indexes), *columns, list(texts))

    async def log_entered(self, anchors: Sequence[PendingAnchor]) -> list[tuple[int, PendingAnchor, bytes]]:
        """Return those of these anchors that are in the log, with their indexes and entries."""
        given = {(a.stream, a.seq, a.kind): a for a in anchors}
        columns = zip(*given, strict=True) if given else ([], [], [])
        rows = await self._fetch(ENTERED, *map(list, columns))
        return [(row["index"], given[row["stream"], row["seq"], row["kind"]], row["entry"]) for row in rows]

    async def log_publish(self, size: int, note: str, policy: int) -> bool:
        """Store a note, if its policy is in force; whoever is second changes nothing."""
        async with self._transaction() as connection:
            assert await connection.fetchval(LOCK) >= size, "a tree is stored before anybody vouches for it"
            if await connection.fetchval(LATER, policy):
                return False
            await connection.execute(NOTE, size, policy, note)
        return True

    async def log_entries(self, first: int, count: int) -> list[bytes]:
        """Return the entries from an index on."""
        return [row["entry"] for row in await self._fetch(ENTRIES, first, count)]

    async def log_hashes(self, wanted: Iterable[tuple[int, int]]) -> dict[tuple[int, int], bytes]:
        """Return the tree hashes at these places."""
        places = list(wanted)
        rows = await self._fetch(HASHES, [level for level, _ in places], [index for _, index in places])
        return {(row["level"], row["index"]): row["hash"] for row in rows if row["hash"] is not None}

    async def log_covered(self, stream: str, seq: int, kind: str, policy: int = 0) -> CoveredAnchor | None:
        """Return where an anchor stands in the log, and the first checkpoint that covers it."""
        rows = await self._fetch(COVERED, stream, seq, kind, policy)
        return CoveredAnchor(*rows[0]) if rows else None

    async def log_checkpoint(self, policy: int = 0) -> tuple[int, str] | None:
        """Return the newest checkpoint."""
        rows = await self._fetch(NEWEST, policy)
        return (rows[0]["size"], rows[0]["note"]) if rows else None

    async def log_policy_of(self, size: int, note: str) -> int | None:
        """Return the number of the policy that a checkpoint was stored under."""
        rows = await self._fetch(POLICY_OF, size, note)
        return rows[0]["policy"] if rows else None

    async def log_policies(self) -> list[str]:
        """Return every policy, in the order they came into force."""
        return [row["text"] for row in await self._fetch(POLICIES)]

    async def log_enforce(self, text: str) -> int:
        """Put a policy in force, unless it is."""
        async with self._transaction() as connection:
            await connection.fetchval(LOCK)
            known = [row["text"] for row in await connection.fetch(POLICIES)]
            if known[-1:] != [text]:
                known.append(text)
                await connection.execute(ENFORCE, len(known), text)
        return len(known)
