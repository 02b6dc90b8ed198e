"""Bugs planted on Postgres: transactions that are under way at once find each of them, by its name."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from itertools import count
from typing import Any, Final
from uuid import UUID

import asyncpg
import pytest

from infra.feed import Placed
from infra.feed.memory import MemoryFeed
from infra.store import Append, Appended, Recorded, Repeated, shard_of
from infra.store.postgres import PostgresStore, open_store
from services.matches import optimistic
from services.matches.requests import Answer
from services.relay.publisher import Publisher
from tests.store.lines import ZEROS, append, line
from tests.store.planted import BUGS

WAITING: Final = (
    "select pid from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0"
)
_numbers = count(1)


def new_streams(many: int) -> list[str]:
    """Return names of so many streams of one shard that there are not yet; nobody draws a frame of them."""
    names = (f"planted/{UUID(int=number)}" for number in _numbers)
    return [name for name, _ in zip((one for one in names if shard_of(one) == 0), range(many), strict=False)]


def commands(*streams: str) -> list[Append]:
    """Return a command of one line for each of these streams, each line another one."""
    return [append(name, [line(name, 0, ZEROS, said=said)]) for said, name in enumerate(streams)]


@asynccontextmanager
async def programs(database: str) -> AsyncIterator[tuple[PostgresStore, PostgresStore]]:
    """Two programs on one database."""
    first, second = [await open_store(database, "truecup_dealer") for _ in range(2)]
    yield first, second
    await first.close()
    await second.close()


async def do_at_once(
    database: str,
    table: str,
    works: Sequence[Coroutine[Any, Any, Any]],
    meanwhile: Callable[[asyncpg.Connection[Any]], Awaitable[Any]] | None = None,
) -> list[Any]:
    """Return what comes of work that is all under way, held where it writes to a table, before any of it goes on.

    Args:
        database: Where.
        table: What nobody may write to until all of them wait, for it or for each other.
        works: What is done at once.
        meanwhile: What is done while they wait, on a connection of its own.
    """
    gate, watcher = [await asyncpg.connect(database) for _ in range(2)]
    await gate.execute(f"begin; lock table {table} in share mode")
    doing = [asyncio.ensure_future(work) for work in works]
    while len(await watcher.fetch(WAITING)) < len(doing):
        assert not any(one.done() for one in doing), "it does not come to where it is held"
    if meanwhile is not None:
        await meanwhile(watcher)
    await gate.close()
    came = await asyncio.gather(*doing, return_exceptions=True)
    await watcher.close()
    return came


async def two_streams_at_once(database: str) -> list[str]:
    """Store two commands of one shard, of a stream each, and return what is wrong then."""
    async with programs(database) as stores:
        asked = commands(*new_streams(2))
        works = [store.append(one) for store, one in zip(stores, asked, strict=True)]
        came = await do_at_once(database, "event", works)
    return [f"{outcome!r}: a command was not stored beside another one" for outcome in came if not is_stored(outcome)]


def is_stored(outcome: object) -> bool:
    return isinstance(outcome, Appended)


async def one_stream_at_once(database: str) -> list[str]:
    """Store two commands of one stream, both for its first line, and return what is wrong then."""
    async with programs(database) as stores:
        (name,) = new_streams(1)
        asked = commands(name, name)
        works = [optimistic.append(store, one, Answer) for store, one in zip(stores, asked, strict=True)]
        came = await do_at_once(database, "event", works)
        kept = await stores[0].read(name)
    told = [one for one, outcome in zip(asked, came, strict=True) if is_stored(outcome)]
    return [f"{one.lines} was told that its lines are there" for one in told if list(one.lines) != kept]


async def cut_off(database: str) -> list[str]:
    """Cut the connection of a command before its answer is kept, and return what is wrong then."""

    async def cut(watcher: asyncpg.Connection[Any]) -> None:
        (waiting,) = await watcher.fetch(WAITING)
        assert await watcher.fetchval("select pg_terminate_backend($1, 60000)", waiting["pid"])

    async with programs(database) as (store, other):
        (asked,) = commands(*new_streams(1))
        (came,) = await do_at_once(database, "command", [store.append(asked)], cut)
        again, kept = await other.append(asked), await other.read(asked.stream)
    known = isinstance(came, Appended | Repeated) and isinstance(again, Repeated)
    return [] if known and kept == list(asked.lines) else [f"{came}, {again}: a command is not known by its key"]


async def heard_of(database: str) -> list[str]:
    """Return what is wrong with what followers have heard of a command that is not stored yet."""
    heard: list[Recorded] = []
    seen: list[tuple[list[Recorded], list[bytes]]] = []
    async with programs(database) as (store, other):
        (asked,) = commands(*new_streams(1))
        store.on_commit = lambda _shard, lines: heard.extend(lines)

        async def look(_watcher: object) -> None:
            seen.append((list(heard), await other.read(asked.stream)))

        await do_at_once(database, "event", [store.append(asked)], look)
    assert heard, "followers hear of it in the end"
    return [f"{told}: somebody was told of lines that nobody can read" for told, kept in seen if told and not kept]


class HeldFeed(MemoryFeed):
    """A bus that takes nothing until it is let.

    Attributes:
        asked: Set once something is to be published.
    """

    def __init__(self) -> None:
        super().__init__()
        self.asked = asyncio.Event()

    async def publish(self, shard: int, frames: Sequence[Placed]) -> int:
        self.asked.set()
        await asyncio.Event().wait()
        return await super().publish(shard, frames)


async def killed_before_publishing(database: str) -> list[str]:
    """Let a publisher go before its frames are on the bus, and return what is wrong with where the next one begins."""
    async with programs(database) as (store, other):
        (asked,) = commands(*new_streams(1))
        shard = shard_of(asked.stream)
        stored = await store.append(asked)
        assert isinstance(stored, Appended)
        feed, before = HeldFeed(), stored.position - 1
        dying = Publisher(store, feed, None)
        await dying.start(shard)
        taking = asyncio.ensure_future(dying.take(shard, await store.follow(shard, before, 1)))
        await feed.asked.wait()
        taking.cancel()
        await asyncio.wait([taking])
        begins = await Publisher(other, MemoryFeed(), None).start(shard)
    return [f"{begins} says that frames are published, and none is"] if begins > before else []


SCENES: Final = {
    "row lock dropped": two_streams_at_once,
    "conflict swallowed": one_stream_at_once,
    "idempotency row in another transaction": cut_off,
    "publish before commit": heard_of,
    "cursor before publish": killed_before_publishing,
}


@pytest.mark.parametrize("bug", BUGS)
async def test_a_bug_planted_on_postgres_is_found(bug: str, database: str) -> None:
    assert await SCENES[bug](database) == []
    async with BUGS[bug].in_place(database):
        assert [said for said in await SCENES[bug](database) if BUGS[bug].caught in said], bug
