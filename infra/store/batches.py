"""Batches of commands of one shard, as the functions of the database take them, and what they say came of them.

`append_set` takes whatever there is. Most commands are plain, lines and a stored answer, and nothing stands against
them: for those there are shorter ways, which store all of them or nothing. Where nothing is stored, `append_set` says
why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Final, Protocol

import asyncpg

from infra.store import Append, Appended, Conflict, KeyReused, Outcome, Recorded, Repeated

APPEND: Final = (
    "select outcome, version, reached, answer from append_set("  # noqa: S608 - numbers only
    + ",".join(f"${n}" for n in range(1, 28))
    + ") order by number"
)
APPEND_ONE: Final = "select append_set_one($1, $2, $3, $4, $5, $6, $7)"
APPEND_PLAIN: Final = "select append_set_plain($1, $2, $3, $4, $5, $6, $7)"
VERSION: Final = "select version from stream where shard = $1 and stream = $2"
GROWN: Final = (
    "select s.stream, s.version, s.ended from unnest($1::smallint[], $2::text[]) as g (shard, stream)"
    " cross join lateral (select * from stream f where f.shard = g.shard and f.stream = g.stream limit 1) s"
)
STATEMENTS: Final = (APPEND, APPEND_ONE, APPEND_PLAIN, VERSION, GROWN)


class Queries(Protocol):
    """A connection, as far as it is needed here."""

    async def fetch(self, query: str, *args: object) -> Sequence[Mapping[str, Any]]:
        """Return the rows of a query."""

    async def fetchval(self, query: str, *args: object) -> Any:  # noqa: ANN401 - whatever the query says
        """Return the first value of a query."""

    def transaction(self) -> AbstractAsyncContextManager[Any]:
        """Return a transaction, to be held with `async with`; whatever leaves it by an exception undoes it."""


Part = tuple[int, Sequence[Append]]
"""A shard, and commands for it."""


async def store(connection: Queries, shard: int, batch: Sequence[Append]) -> list[Outcome]:
    """Store a batch and return what came of each command.

    Cost: one call, which is one transaction. Plain commands that something stands against cost another; a crash between
    the two leaves nothing, since the first has stored nothing.
    """
    if are_plain(batch):
        found = await (
            _store_one(connection, shard, batch[0]) if len(batch) == 1 else _store_set(connection, shard, batch)
        )
        if found is not None:
            return found
    return await store_any(connection, shard, batch)


async def store_any(connection: Queries, shard: int, batch: Sequence[Append]) -> list[Outcome]:
    """Store whatever there is of one shard that nothing stands against, and return what came of each."""
    rows = await connection.fetch(APPEND, shard, *_columns(batch), *_access_columns(batch))
    return [_outcome(row) for row in rows]


def is_closed(trouble: asyncpg.PostgresError) -> bool:
    """Report whether a database has refused something since it does not have the shard."""
    return getattr(trouble, "constraint_name", None) == "shard_open"


class _Undone(Exception):  # noqa: N818 - named for what happened
    """Something stands against a chain: what was stored of it is taken back."""

    def __init__(self, outcomes: Sequence[Outcome]) -> None:
        self.outcomes = outcomes


async def store_chain(connection: Queries, shard: int, chain: Sequence[Append]) -> list[Outcome]:
    """Store commands of one stream, each expecting what the one before it leads to: all of them, or none.

    Cost: one transaction, of three calls.
    """
    try:
        async with connection.transaction():
            return _all_appended(await store_any(connection, shard, chain))
    except _Undone as undone:
        version = await _version(connection, shard, chain)
        return [each if isinstance(each, Repeated | KeyReused) else Conflict(version) for each in undone.outcomes]
    except asyncpg.IntegrityConstraintViolationError as trouble:
        # Somebody else's lines may be just as many as those of the first few: then the next does not follow them.
        version = await _version(connection, shard, chain)
        if is_closed(trouble) or version == chain[0].expected:
            raise
        return [Conflict(version) for _ in chain]


def _all_appended(outcomes: list[Outcome]) -> list[Outcome]:
    if not all(isinstance(outcome, Appended) for outcome in outcomes):
        raise _Undone(outcomes)
    return outcomes


async def _version(connection: Queries, shard: int, chain: Sequence[Append]) -> int:
    version: int | None = await connection.fetchval(VERSION, shard, chain[0].stream)
    return version or 0


def are_plain(batch: Sequence[Append]) -> bool:
    """Report whether all are plain commands, with a line at least, and each of another stream."""
    return len({a.stream for a in batch}) == len(batch) and all(
        a.lines and not (a.secrets or a.anchors or a.people or a.tokens or a.access) for a in batch
    )


async def _store_one(connection: Queries, shard: int, a: Append) -> list[Outcome] | None:
    """Store a plain command; None if something stands against it."""
    reached = await connection.fetchval(
        APPEND_ONE, shard, a.stream, a.expected, a.command, a.fingerprint, a.answer, _text(a)
    )
    return None if reached is None else [Appended(a.expected + len(a.lines), reached)]


async def _store_set(connection: Queries, shard: int, batch: Sequence[Append]) -> list[Outcome] | None:
    """Store plain commands of a shard; None if something stands against one of them."""
    stored = await store_plain(connection, [(shard, batch)])
    return None if stored is None else stored[shard]


async def store_plain(connection: Queries, parts: Sequence[Part]) -> dict[int, list[Outcome]] | None:
    """Store plain commands of some shards in one transaction; None if something stands against one of them.

    Of several shards, those that somebody else writes to just now are left out: nothing is stored there.
    """
    batch = [a for _, commands in parts for a in commands]
    before = await connection.fetchval(
        APPEND_PLAIN,
        [shard for shard, commands in parts for _ in commands],
        [a.stream for a in batch],
        [a.expected for a in batch],
        [a.command for a in batch],
        [a.fingerprint for a in batch],
        [a.answer for a in batch],
        [_text(a) for a in batch],
    )
    if before is None:
        return None
    return {shard: list(_appended(commands, before[shard])) for shard, commands in parts if before[shard] is not None}


def _text(append: Append) -> str:
    return b"\n".join(append.lines).decode()


def _appended(batch: Sequence[Append], position: int) -> Iterator[Outcome]:
    """Yield that each of these is stored, in their order from behind a position."""
    for append in batch:
        position += len(append.lines)
        yield Appended(append.expected + len(append.lines), position)


def _columns(batch: Sequence[Append]) -> list[list[Any]]:
    """Return the arguments of `append_set` after the shard, those of access streams left out: one array a column."""
    numbered = list(enumerate(batch, start=1))
    secrets = [(n, *secret) for n, a in numbered if a.secrets for secret in a.secrets]
    anchors = [(n, *anchor) for n, a in numbered if a.anchors for anchor in a.anchors]
    people = [(n, *person) for n, a in numbered if a.people for person in a.people]
    tokens = [(n, *token) for n, a in numbered if a.tokens for token in a.tokens]
    groups: tuple[tuple[Sequence[tuple[Any, ...]], int], ...] = ((secrets, 3), (anchors, 4), (people, 3), (tokens, 4))
    return [
        [a.stream for a in batch],
        [a.expected for a in batch],
        [a.command for a in batch],
        [a.fingerprint for a in batch],
        [a.answer for a in batch],
        [n for n, a in numbered for _ in a.lines],
        [line.decode() for a in batch for line in a.lines],
        *([row[i] for row in group] for group, width in groups for i in range(width)),
    ]


def _access_columns(batch: Sequence[Append]) -> list[list[Any]]:
    """Return the arguments of `append_set` on access streams."""
    given = [(n, a.access) for n, a in enumerate(batch, start=1) if a.access is not None]
    lines = [(n, line.decode()) for n, access in given for line in access.lines]
    return [
        [n for n, _ in given],
        [access.stream for _, access in given],
        [access.expected for _, access in given],
        [n for n, _ in lines],
        [line for _, line in lines],
    ]


def _outcome(row: Mapping[str, Any]) -> Outcome:
    match row["outcome"]:
        case 0:
            return Appended(row["version"], row["reached"])
        case 1:
            return Conflict(row["version"])
        case 2:
            return Repeated(row["answer"])
        case _:
            return KeyReused()


def recorded(batch: Sequence[Append], outcomes: Sequence[Outcome]) -> list[Recorded]:
    """Return the lines that a batch has added, in the order of their positions."""
    found = [line for append, outcome in zip(batch, outcomes, strict=True) for line in _lines(append, outcome)]
    # A second command of a stream is stored behind the first ones of all.
    return sorted(found, key=_position_of)


def _lines(append: Append, outcome: Outcome) -> Iterator[Recorded]:
    """Yield the lines that a command has added, with their places; none if it was not appended."""
    if isinstance(outcome, Appended):
        before = outcome.position - len(append.lines)
        for number, line in enumerate(append.lines):
            yield Recorded(before + 1 + number, append.stream, append.expected + number, line)


def _position_of(line: Recorded) -> int:
    return line.position
