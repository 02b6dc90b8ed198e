"""One moment of a house with several primaries, as snapshots of all of them see it.

The law of the file: whatever one primary knows of another is there. The transparency log names lines that lie
anywhere, a line the people whose names are at home, lists and counts as many lines as they have seen; commands of
several primaries are stored by all of them or by none.

So nobody stores anything while the snapshots begin, some milliseconds: the log is held, and every shard that is open at
another primary than the home. What is stored at home meanwhile is of the home alone. Whoever waits goes on behind it,
and so does a move: none may begin before.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

import asyncpg

from infra.config import HOME
from infra.store.backups.manifests import BadBackup
from infra.store.logins import connect
from infra.store.primaries.moving import HOLD_LOG, LOCK_MS, LOG, TRIES, CannotMove, owners

HOLD_ALL: Final = "select position from shard where closed_at is null order by shard for update"
BEGIN: Final = "select count(*) from shard"
"""A snapshot is of the moment of its first query."""
SETTINGS: Final = {"application_name": "truecup", "plan_cache_mode": "force_generic_plan"}


@asynccontextmanager
async def cut(home: str, others: Mapping[str, str]) -> AsyncIterator[dict[str, Any]]:
    """Give a connection to each primary by its name, in a transaction that only reads: all see the same moment.

    Args:
        home: The address of the home, by a login that owns its tables.
        others: Those of the other primaries, by their names.

    Raises:
        BadBackup: A shard is being moved, or shards are held by others all the time.
        WrongPrimary: A database is not the primary it is called.
        OSError: A primary does not answer.
        asyncpg.PostgresError: The login may not read or hold what is there.
    """
    async with AsyncExitStack() as opened:
        readers = {}
        for name, address in {HOME: home, **others}.items():
            readers[name] = await connect(address, SETTINGS)
            opened.push_async_callback(readers[name].close)
        try:
            async with owners(home, others) as holders:
                await _begin_all(holders, readers)
        except CannotMove as moving:
            raise BadBackup(f"{moving}: begin again when that is done") from moving
        yield readers


async def _begin_all(holders: Mapping[str, Any], readers: Mapping[str, Any]) -> None:
    """Begin all snapshots while nothing is stored; what holds the shards now may end, as a set in doubt does."""
    for tries in range(1, TRIES + 1):
        try:
            await _begin_once(holders, readers)
        except (asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError) as held:
            if tries == TRIES:
                raise BadBackup("shards are held by others all the time: begin again, beside a dealer") from held
        else:
            return


async def _begin_once(holders: Mapping[str, Any], readers: Mapping[str, Any]) -> None:
    async with AsyncExitStack() as held:
        # In one order everywhere: the log first, then primaries as whoever stores at several takes them.
        others = [name for name in holders if name not in {LOG, HOME}]
        for name, hold in {LOG: HOLD_LOG, **dict.fromkeys(others, HOLD_ALL)}.items():
            await held.enter_async_context(holders[name].transaction())
            await holders[name].execute(f"set local lock_timeout = {LOCK_MS}")
            await holders[name].execute(hold)
        for reader in readers.values():
            await reader.transaction(isolation="repeatable_read", readonly=True).start()
            await reader.execute(BEGIN)
