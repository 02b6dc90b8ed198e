"""Forward-only migrations: SQL files in dbmate's format, noted in its table.

Two nodes may start at once: they poll for an advisory lock and the second finds nothing to do. Polling, since a
blocking lock would deadlock with `create index concurrently`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from importlib.resources import files
from importlib.resources.abc import Traversable

import asyncpg

from infra.store.logins import connect

LOCK = 0x7472_7565_6375_70
"""The advisory lock of all migrating nodes: `truecup` in ASCII."""
POLL_S = 0.1
WAIT_S = 60.0
UP = "-- migrate:up"


async def migrate(dsn: str, only: Collection[str] | None = None) -> list[str]:
    """Bring the database to the newest schema and return the versions that were applied.

    Args:
        dsn: The database.
        only: Those that may be applied, where it is to stay at an earlier schema for now.

    Raises:
        TimeoutError: Another node has been migrating for a minute.
        OSError: Nobody answers there.
        asyncpg.PostgresError: A migration failed; it left nothing behind.
    """
    connection = await connect(dsn)
    try:
        async with asyncio.timeout(WAIT_S):
            while not await connection.fetchval("select pg_try_advisory_lock($1)", LOCK):
                await asyncio.sleep(POLL_S)
        await connection.execute("create table if not exists schema_migrations (version varchar primary key)")
        known = {row["version"] for row in await connection.fetch("select version from schema_migrations")}
        return [
            version
            for version, sql in migrations()
            if version not in known and (only is None or version in only) and await _apply(connection, version, sql)
        ]
    finally:
        await connection.close()


def migrations() -> list[tuple[str, str]]:
    """Return version and SQL of every migration, in order."""
    found = sorted(
        (entry for entry in files("infra.store").joinpath("migrations").iterdir() if entry.name.endswith(".sql")),
        key=_name,
    )
    return [(entry.name.partition("_")[0], entry.read_text(encoding="utf-8").partition(UP)[2]) for entry in found]


def _name(entry: Traversable) -> str:
    return entry.name


async def _apply(connection: asyncpg.Connection, version: str, sql: str) -> bool:
    async with connection.transaction():
        await connection.execute(sql)
        await connection.execute("insert into schema_migrations (version) values ($1)", version)
    return True
