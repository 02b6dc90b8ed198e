"""Bugs planted on Postgres: each a patch of the program, or of a function of the database, as made in practice.

The simulation plants the same on its store in memory; here two transactions are on their way at once, each held by a
lock at the point where it matters, and nobody waits for a time.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager
from typing import Any, Final
from unittest.mock import patch

import asyncpg
from msgspec import Struct

from infra.store import Append, Appended, Conflict, Outcome, Recorded, batches
from infra.store.postgres import PostgresStore
from services.matches import optimistic
from services.relay.publisher import Publisher

Replaced = tuple[Any, str, Callable[..., Any]]
Edited = tuple[str, str, str]
"""The name of a function of the database, a part of its text, and what stands there instead."""


class PlantedThere(Struct, frozen=True):
    """A bug.

    Attributes:
        caught: What is said of it, at least in part.
        replaced: What it puts in whose place in the program.
        edited: What it changes in the database.
        added: What it has there besides.
    """

    caught: str
    replaced: tuple[Replaced, ...] = ()
    edited: tuple[Edited, ...] = ()
    added: tuple[str, ...] = ()

    @asynccontextmanager
    async def in_place(self, database: str) -> AsyncIterator[None]:
        """Let the bug be there, in a database that is thrown away."""
        owner = await asyncpg.connect(database)
        for function, text, other in self.edited:
            told: str = await owner.fetchval("select pg_get_functiondef($1::regproc)", function)
            assert told.count(text) == 1, (function, text)
            await owner.execute(told.replace(text, other))
        for statement in self.added:
            await owner.execute(statement)
        await owner.close()
        with ExitStack() as stack:
            for where, name, other_one in self.replaced:
                stack.enter_context(patch.object(where, name, other_one))
            yield


_append = optimistic.append
_store_one = batches._store_one  # noqa: SLF001 - planted there
_take = Publisher.take


async def _conflict_swallowed(store: Any, command: Append, kind: type[Any]) -> Any:
    outcome = await _append(store, command, kind)
    return Appended(outcome.version, 0) if isinstance(outcome, Conflict) else outcome


async def _remembered_apart(connection: batches.Queries, shard: int, a: Append) -> list[Outcome] | None:
    """Store what was answered in a transaction behind that of the lines."""
    outcomes = await _store_one(connection, shard, a)
    if outcomes is not None:
        await connection.fetchval(
            "select remember($1, $2, $3, $4, $5)", shard, a.stream, a.command, a.fingerprint, a.answer
        )
    return outcomes


async def _told_before(store: PostgresStore, shard: int, batch: list[Append]) -> list[Outcome]:
    """Tell followers of lines on the way to the database, at the places that they are going to have."""
    end = (await store.positions())[shard]
    lines = [(a.stream, a.expected + place, line) for a in batch for place, line in enumerate(a.lines)]
    assert store.on_commit is not None
    store.on_commit(shard, [Recorded(end + place, *line) for place, line in enumerate(lines, start=1)])
    return await store._joining.send(shard, batch)  # noqa: SLF001 - as above


async def _cursor_first(publisher: Publisher, shard: int, page: Sequence[Recorded]) -> int:
    """Save how far the frames have come before they are on the bus."""
    await publisher._store.save_projection(publisher.name, shard, page[-1].position, ())  # noqa: SLF001 - as above
    return await _take(publisher, shard, page)


LOCKS: Final = "update shard set position = position + v_added where shard = p_shard returning position into v_reached;"
READS: Final = "select position + v_added into v_reached from shard where shard = p_shard;"
REMEMBERS: Final = """insert into command (shard, stream, command, fingerprint, answer)
        values (p_shard, p_stream, p_command, p_fingerprint, p_answer);"""
APART: Final = """create function remember(smallint, text, bytea, bytea, bytea) returns void
  language sql security definer
  as 'insert into command (shard, stream, command, fingerprint, answer) values ($1, $2, $3, $4, $5)';"""

BUGS: Final = {
    "row lock dropped": PlantedThere(
        "was not stored beside another one",
        edited=(
            ("append_set_one", LOCKS, READS),
            ("append_set_one", "update shard set position = position - v_added where shard = p_shard;", ""),
            (
                "append_set_one",
                "return v_reached;",
                "update shard set position = v_reached where shard = p_shard; return v_reached;",
            ),
        ),
    ),
    "conflict swallowed": PlantedThere(
        "was told that its lines are there", ((optimistic, "append", _conflict_swallowed),)
    ),
    "idempotency row in another transaction": PlantedThere(
        "is not known by its key",
        ((batches, "_store_one", _remembered_apart),),
        (("append_set_one", REMEMBERS, ""),),
        (APART,),
    ),
    "publish before commit": PlantedThere(
        "was told of lines that nobody can read", ((PostgresStore, "_send", _told_before),)
    ),
    "cursor before publish": PlantedThere("says that frames are published", ((Publisher, "take", _cursor_first),)),
}
