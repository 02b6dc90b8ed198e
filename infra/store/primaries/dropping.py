"""Copies of a shard that are left where it was, dropped: lines, and what lies beside them.

The law of the file: nothing is dropped that is not the same, byte for byte, where the shard is open. Whoever drops lets
nobody move a shard meanwhile, so that it stays open there.

First everything is proved. Then what lies beside the lines goes, some streams at a time, and in one transaction all of
the lines with the rows of their streams; from then on the shard has no position here, and one that comes back is copied
from its first line. A crash before that leaves lines that are all there, with less beside them: whoever begins again
goes on, and whoever moves the shard back copies that once more. What the log has of lines stays, as it is the house's.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from typing import Any, Final, Literal

from msgspec import Struct

from infra.config import HOME
from infra.store import SHARDS, shard_of
from infra.store.primaries.copying import (
    ACCESS,
    HASHED,
    NEXT_STREAMS,
    NEXT_TOKENS,
    PROVED,
    REACHED,
    ROWS,
    STREAM_ROWS,
    STREAMS,
    TOKENS,
    NotTheSame,
)
from infra.store.primaries.moving import CLEAR_OUTBOX, LOCK_MS, LOG, PLACE, CannotMove, owners
from infra.store.primaries.places import WrongPrimary

ANSWERS: Final = (
    "select stream, command, fingerprint, answer from command where shard = $1 and stream = any ($2::text[])"
)
# What is wrapped may be wrapped anew where the shard is.
SECRETS: Final = "select stream, name from vault.secret where $1 >= 0 and stream = any ($2::text[])"
DROP_BESIDE: Final = (
    "delete from command where shard = $1 and stream = any ($2::text[])",
    "delete from vault.secret where $1 >= 0 and stream = any ($2::text[])",
)
DROP_ACCESS: Final = "delete from access_line where stream = any ($1::text[])"
DROP_TOKENS: Final = "delete from token where digest = any ($1::bytea[])"
DROP_STREAMS: Final = "delete from stream where shard = $1"
LIVES: Final = "select closed_at is null and epoch = $2 from shard where shard = $1"
HOLD_CLOSED: Final = "select position from shard where shard = $1 and closed_at is not null for update"
EMPTY: Final = "update shard set position = 0, closed_at = 0 where shard = $1"
HAS_STREAMS: Final = "select exists (select from stream where shard = $1)"

DropStep = Literal["proved", "dropping", "bare", "dropped"]
TellDrop = Callable[[DropStep], None]


class ShardDropped(Struct, frozen=True):
    """What was dropped of a shard.

    Attributes:
        at: Where the shard lives.
        lines: How many lines were dropped at each other primary that had any, by its name.
    """

    at: str
    lines: dict[str, int]


class ShardDrop:
    """A copy of a shard that is dropped where the shard does not live."""

    def __init__(self, shard: int, left: Any, lives: Any, tell: TellDrop) -> None:  # noqa: ANN401 - connections
        """Drop what is `left` there, if it is the same where the shard `lives`, and say when each step is done."""
        self._shard, self._left, self._lives, self._tell = shard, left, lives, tell

    async def run(self) -> int:
        """Drop the shard, and return how many lines it had; 0 if there is nothing.

        Raises:
            NotTheSame: Something that is left is not where the shard lives. Nothing of the lines is dropped.
            WrongPrimary: It is open here as well.
        """
        reached: int | None = await self._left.fetchval(HOLD_CLOSED, self._shard)
        if reached is None:
            raise WrongPrimary(f"shard {self._shard} is open at two primaries: stop all programs")
        if not reached and not await self._left.fetchval(HAS_STREAMS, self._shard):
            return 0
        await self._prove_lines(reached)
        async for streams in self._streams():
            await self._prove_streams(streams)
        async for tokens in self._tokens():
            there = await self._lives.fetch(TOKENS, [row["digest"] for row in tokens])
            self._check(tokens, there, "tokens")
        self._tell("proved")
        async for tokens in self._tokens():
            await self._left.execute(DROP_TOKENS, [row["digest"] for row in tokens])
        async for streams in self._streams():
            await self._drop_beside(streams)
            self._tell("dropping")
        self._tell("bare")
        await self._drop_lines(reached)
        self._tell("dropped")
        return reached

    # ---- what is there ------------------------------------------------------------------------------

    async def _streams(self) -> AsyncIterator[list[str]]:
        name = ""
        while rows := await self._left.fetch(NEXT_STREAMS, self._shard, name, STREAMS):
            name = rows[-1]["stream"]
            yield [row["stream"] for row in rows]

    async def _tokens(self) -> AsyncIterator[list[Any]]:
        place = b""
        while rows := await self._left.fetch(NEXT_TOKENS, place, ROWS):
            place = rows[-1]["digest"]
            ours = [row for row in rows if shard_of(row["stream"]) == self._shard]
            if ours:
                yield ours

    # ---- proved -------------------------------------------------------------------------------------

    async def _prove_lines(self, reached: int) -> None:
        if await self._lives.fetchval(REACHED, self._shard) < reached:
            raise NotTheSame(f"shard {self._shard} has fewer lines where it lives than where it was")
        for start in range(0, reached, PROVED):
            part = (self._shard, start, min(PROVED, reached - start))
            if tuple(await self._left.fetchrow(HASHED, *part)) != tuple(await self._lives.fetchrow(HASHED, *part)):
                raise NotTheSame(f"lines behind position {start} of shard {self._shard} differ")

    async def _prove_streams(self, streams: list[str]) -> None:
        versions = {row["stream"]: row["version"] for row in await self._lives.fetch(STREAM_ROWS, self._shard, streams)}
        for row in await self._left.fetch(STREAM_ROWS, self._shard, streams):
            if versions.get(row["stream"], 0) < row["version"]:
                raise NotTheSame(f"{row['stream']} has fewer lines where shard {self._shard} lives")
        for query, what in ((ANSWERS, "stored answers"), (SECRETS, "secrets")):
            there = await self._lives.fetch(query, self._shard, streams)
            self._check(await self._left.fetch(query, self._shard, streams), there, what)
        seen = _access_of(streams)
        self._check(await self._left.fetch(ACCESS, seen), await self._lives.fetch(ACCESS, seen), "access lines")

    def _check(self, left: Iterable[Any], there: Iterable[Any], what: str) -> None:
        missing = set(map(tuple, left)) - set(map(tuple, there))
        if missing:
            raise NotTheSame(f"{len(missing)} {what} are not where shard {self._shard} lives, or are others there")

    # ---- dropped ------------------------------------------------------------------------------------

    async def _drop_beside(self, streams: list[str]) -> None:
        """Drop what lies beside the lines of these streams. Access lines are for ever but here."""
        async with self._left.transaction():
            await self._left.execute(f"set local lock_timeout = {LOCK_MS}")
            for statement in DROP_BESIDE:
                await self._left.execute(statement, self._shard, streams)
            seen = _access_of(streams)
            if await self._left.fetch(ACCESS, seen):
                await self._left.execute("alter table access_line disable trigger access_is_for_ever")
                await self._left.execute(DROP_ACCESS, seen)
                await self._left.execute("alter table access_line enable trigger access_is_for_ever")

    async def _drop_lines(self, reached: int) -> None:
        """Drop all lines, in one transaction: a crash in it leaves all of them."""
        async with self._left.transaction():
            await self._left.execute(f"set local lock_timeout = {LOCK_MS}")
            if await self._left.fetchval(HOLD_CLOSED, self._shard) != reached:
                raise CannotMove(f"shard {self._shard} has changed where it was")
            await self._left.execute(CLEAR_OUTBOX, self._shard)
            for table in ("event", "archive"):
                part = f"{table}_{self._shard}"
                await self._left.execute(f"alter table {part} disable trigger {table}_stays")
                await self._left.execute(f"truncate {part}")
                await self._left.execute(f"alter table {part} enable trigger {table}_stays")
            await self._left.execute(DROP_STREAMS, self._shard)
            await self._left.execute(EMPTY, self._shard)


def _access_of(streams: Iterable[str]) -> list[str]:
    return [f"access/{name.partition('/')[2]}" for name in streams]


async def drop_shard(home: str, others: Mapping[str, str], shard: int, tell: TellDrop) -> ShardDropped:
    """Drop what moves have left of a shard, wherever it does not live.

    Args:
        home: The address of the home.
        others: Those of the other primaries, by their names.
        shard: Which shard.
        tell: Told of each step when it is done.

    Raises:
        CannotMove: There is no such shard, or it is not open where the home says it is, or somebody moves one.
        WrongPrimary: A database is not the primary it is called, or the shard is open at two.
        NotTheSame: What is left is not all where the shard lives: no line of it is dropped.
        OSError: A primary does not answer.
        asyncpg.PostgresError: A database refuses, such as for a lock that others have for too long: begin again.
    """
    if not 0 <= shard < SHARDS:
        raise CannotMove(f"shards are 0 to {SHARDS - 1}")
    async with owners(home, others) as connections:
        name, epoch = await connections[HOME].fetchrow(PLACE, shard)
        if name not in connections or not await connections[name].fetchval(LIVES, shard, epoch):
            raise CannotMove(f"shard {shard} is not open at {name}: finish its move first")
        dropped: dict[str, int] = {}
        for other in sorted(connections.keys() - {LOG, name}):
            lines = await ShardDrop(shard, connections[other], connections[name], tell).run()
            dropped |= {other: lines} if lines else {}
        return ShardDropped(name, dropped)
