"""A shard copied from one primary to another while it is written to.

Lines are copied by position, and never change: what was copied stays so. The rest of a stream (stored answers, secrets,
access lines, tokens) has no position. It is copied by stream, and once more for each stream that the triggers of the
move have noted since. Everything may be copied twice, so whoever begins again loses time only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from infra.store import shard_of
from infra.store.postgres import FOLLOW
from infra.store.primaries.places import stream_beside

LINES: Final = 2_000
"""How many lines share a transaction."""
STREAMS: Final = 200
ROWS: Final = 5_000
PROVED: Final = 10_000
"""How many lines are hashed at once."""

REACHED: Final = "select position from shard where shard = $1"
ADD_LINES: Final = (
    "insert into event (shard, position, stream, seq, body)"
    " select $1::smallint, * from unnest($2::bigint[], $3::text[], $4::bigint[], $5::text[]) as g (position)"
    " order by g.position"
)
MOVE_ON: Final = "update shard set position = $2, closed_at = $2 where shard = $1"
NEXT_STREAMS: Final = "select stream from stream where shard = $1 and stream > $2 order by stream limit $3"
ADD_SECRETS: Final = (
    "insert into vault.secret select * from unnest($1::vault.secret[])"
    " on conflict (stream, name) do update set wrapped = excluded.wrapped"
)
BY_STREAM: Final = (
    (
        "select * from command where shard = $1 and stream = any ($2::text[])",
        "insert into command select * from unnest($1::command[]) on conflict do nothing",
    ),
    (
        "select s.* from vault.secret s where $1 >= 0 and s.stream = any ($2::text[])",
        ADD_SECRETS,
    ),
)
ACCESS: Final = "select a.* from access_line a where a.stream = any ($1::text[]) order by a.stream, a.seq"
ADD_ACCESS: Final = "insert into access_line select * from unnest($1::access_line[]) on conflict do nothing"
# Whether a stream is in the archive is each primary's own.
STREAM_ROWS: Final = "select shard, stream, version, ended from stream where shard = $1 and stream = any ($2::text[])"
ADD_STREAM_ROWS: Final = (
    "insert into stream (shard, stream, version, ended)"
    " select * from unnest($1::smallint[], $2::text[], $3::bigint[], $4::boolean[])"
    " on conflict (shard, stream) do update set version = excluded.version, ended = excluded.ended"
)
NEXT_TOKENS: Final = "select * from token where digest > $1 order by digest limit $2"
TOKENS: Final = "select * from token where digest = any ($1::bytea[])"
ADD_TOKENS: Final = "insert into token select * from unnest($1::token[]) on conflict do nothing"
NEXT_ENTRIES: Final = "select * from log_entry where index >= $1 order by index limit $2"
ADD_ENTRIES: Final = "insert into log_entry select * from unnest($1::log_entry[]) on conflict do nothing"
CHANGES: Final = "select number, stream, digest from shard_change order by number limit $1"
FORGET: Final = "delete from shard_change where number = any ($1::uuid[])"
HASHED: Final = (
    "select count(*), sha256(convert_to(string_agg(stream || ' ' || seq || ' ' || body, E'\\n' order by position),"  # noqa: S608 - a query of ours
    f" 'UTF8')) from ({FOLLOW}) lines"
)
HEADS: Final = (
    "select count(*), coalesce(sum(version), 0), md5(string_agg(stream || ' ' || version || ' ' || ended, ','"
    ' order by stream collate "C")) from stream where shard = $1'
)
COUNTS: Final = (
    "select (select count(*) from command where shard = $1),"
    " (select count(*) from vault.secret v join stream s on s.stream = v.stream where s.shard = $1),"
    " (select count(*) from token t join stream s on s.stream = t.stream where s.shard = $1)"
)


class NotTheSame(Exception):  # noqa: N818 - named for what happened
    """What was copied is not what is there."""


class ShardCopy:
    """A shard that is copied. Whoever writes to the shard at its source meanwhile is not kept from it."""

    def __init__(self, shard: int, home: Any, source: Any, target: Any) -> None:  # noqa: ANN401 - connections
        """Copy over these connections, whose logins own the tables."""
        self._shard = shard
        self._home = home
        self._source = source
        self._target = target
        self._entered = 0
        self._proved = 0

    async def copy_all(self) -> None:
        """Copy whatever there is, once."""
        await self.copy_lines()
        place = b""
        while rows := await self._source.fetch(NEXT_TOKENS, place, ROWS):
            await self._add_tokens(rows)
            place = rows[-1]["digest"]
        name = ""
        while rows := await self._source.fetch(NEXT_STREAMS, self._shard, name, STREAMS):
            await self.copy_streams([row["stream"] for row in rows])
            name = rows[-1]["stream"]
        await self.copy_entries()

    async def copy_lines(self) -> None:
        """Copy the lines that have come by now; the target moves on with each page of them."""
        position, reached = [await one.fetchval(REACHED, self._shard) for one in (self._target, self._source)]
        while position < reached:
            rows = await self._source.fetch(FOLLOW, self._shard, position, LINES)
            position = rows[-1]["position"]
            columns = zip(*((row["position"], row["stream"], row["seq"], row["body"]) for row in rows), strict=True)
            async with self._target.transaction():
                await self._target.execute(ADD_LINES, self._shard, *map(list, columns))
                await self._target.execute(MOVE_ON, self._shard, position)

    async def copy_streams(self, streams: Sequence[str]) -> None:
        """Copy what lies beside the lines of these streams."""
        async with self._target.transaction():
            for query, adding in BY_STREAM:
                await _add(self._target, adding, await self._source.fetch(query, self._shard, streams))
            seen = [f"access/{name.partition('/')[2]}" for name in streams]
            await _add(self._target, ADD_ACCESS, await self._source.fetch(ACCESS, seen))
            rows = await self._source.fetch(STREAM_ROWS, self._shard, streams)
            if rows:
                await self._target.execute(ADD_STREAM_ROWS, *map(list, zip(*map(tuple, rows), strict=True)))

    async def _add_tokens(self, rows: Iterable[Any]) -> None:
        await _add(self._target, ADD_TOKENS, [row for row in rows if shard_of(row["stream"]) == self._shard])

    async def copy_entries(self) -> None:
        """Copy what the log has of lines of the shard, unless the target is where the log is."""
        if self._target is self._home:
            return
        while rows := await self._home.fetch(NEXT_ENTRIES, self._entered, ROWS):
            ours = [row for row in rows if shard_of(stream_beside(row["stream"])) == self._shard]
            await _add(self._target, ADD_ENTRIES, ours)
            self._entered = rows[-1]["index"] + 1

    async def catch_up(self) -> int:
        """Copy what has changed since, in one round, and return how many changes there were beside the lines.

        A crash before the changes are forgotten has them copied once more.
        """
        await self.copy_lines()
        changes = await self._source.fetch(CHANGES, ROWS)
        streams = {stream_beside(row["stream"]) for row in changes}
        await self.copy_streams(sorted(one for one in streams if shard_of(one) == self._shard))
        digests = [row["digest"] for row in changes if row["digest"] is not None]
        await self._add_tokens(await self._source.fetch(TOKENS, digests) if digests else ())
        await self.copy_entries()
        await self._source.execute(FORGET, [row["number"] for row in changes])
        return len(changes)

    async def prove_lines(self) -> None:
        """Hold the lines that were copied since the last time against those at the source, byte for byte.

        Raises:
            NotTheSame: They differ.
        """
        reached = await self._target.fetchval(REACHED, self._shard)
        while self._proved < reached:
            count = min(PROVED, reached - self._proved)
            there = tuple(await self._source.fetchrow(HASHED, self._shard, self._proved, count))
            if there != tuple(await self._target.fetchrow(HASHED, self._shard, self._proved, count)):
                raise NotTheSame(f"lines behind position {self._proved} of shard {self._shard} differ")
            self._proved += count

    async def prove_heads(self) -> None:
        """Hold the streams of both sides against each other, and against the position they have come to.

        Raises:
            NotTheSame: They differ.
        """
        there = tuple(await self._source.fetchrow(HEADS, self._shard))
        here = tuple(await self._target.fetchrow(HEADS, self._shard))
        reached = [await one.fetchval(REACHED, self._shard) for one in (self._source, self._target)]
        if there != here or reached != [there[1], there[1]]:
            raise NotTheSame(f"streams of shard {self._shard} differ: {there} at {reached[0]}, {here} at {reached[1]}")

    async def prove_counts(self) -> None:
        """Count stored answers, secrets and tokens, which only grow: at the target as many as there were meanwhile.

        Raises:
            NotTheSame: There are fewer, or more.
        """
        before = tuple(await self._source.fetchrow(COUNTS, self._shard))
        while await self.catch_up() == ROWS:
            pass
        here = tuple(await self._target.fetchrow(COUNTS, self._shard))
        after = tuple(await self._source.fetchrow(COUNTS, self._shard))
        if not all(low <= found <= high for low, found, high in zip(before, here, after, strict=True)):
            raise NotTheSame(f"of shard {self._shard} {here} were copied, of {before} to {after}")


async def _add(target: Any, statement: str, rows: Sequence[Any]) -> None:  # noqa: ANN401 - a connection
    if rows:
        await target.execute(statement, [tuple(row) for row in rows])
