"""An empty database filled with a backup, through the same door as everything: triggers look at each line.

All rows come in one transaction, so a crash leaves a migrated database with nothing in it, which may be filled again.
Nothing is switched off for it: lines are inserted and never changed, which their tables allow to the login that owns
them. Rows that migrations have put into empty tables make room for those of the backup first.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Final

import asyncpg

from infra.store.backups.manifests import BadBackup, Manifest, check_files, rows_of
from infra.store.backups.tables import StoredTable, applied, tables_of
from infra.store.backups.taking import Tell
from infra.store.logins import connect
from infra.store.migrate import migrate, migrations

PART_BYTES: Final = 8 << 20
"""How much goes in with one statement: a trigger holds the lines of one against each other."""
SEEDED: Final = ("shard", "shard_place", "log_state", "projection_cursor")
"""Tables that have rows as soon as they are made."""
BEGUN: Final = "select exists (select from shard where position > 0) or exists (select from log_state where size > 0)"


async def restore(dsn: str, folder: Path, manifest: Manifest, tell: Tell) -> None:
    """Fill an empty database with a backup, and bring it to the newest schema.

    Args:
        dsn: The database, by the login that is to own its tables.
        folder: The backup.
        manifest: What it says of itself.
        tell: Told how far it is.

    Raises:
        BadBackup: A file is not what the manifest says, a line does not follow the one before it, there is something in
            the database already, or the backup is of a schema that this program does not know.
        OSError: Nobody answers, or a file cannot be read.
        asyncpg.PostgresError: The database refuses; there is nothing in it then.
    """
    await check(dsn, folder, manifest)
    await fill(dsn, folder, manifest, tell)


async def check(dsn: str, folder: Path, manifest: Manifest) -> None:
    """Check that a backup is whole, and that a database with this schema may be filled with it; nothing is changed.

    Raises:
        BadBackup: It is not.
        OSError: Nobody answers, or a file cannot be read.
    """
    if set(manifest.migrations) - {version for version, _ in migrations()}:
        raise BadBackup("the backup is of a newer schema: take the program that it was taken with, or a newer one")
    check_files(folder, manifest)
    connection = await connect(dsn)
    try:
        if set(await applied(connection)) - set(manifest.migrations):
            raise BadBackup(
                "this database is of a newer schema than the backup: restore it into one that nobody migrated"
            )
    finally:
        await connection.close()


async def check_empty(dsn: str) -> None:
    """Check that there is no house in a database, whatever its schema.

    Raises:
        BadBackup: There is one.
        OSError: Nobody answers.
    """
    connection = await connect(dsn)
    try:
        await _check_empty(connection, await tables_of(connection))
    finally:
        await connection.close()


async def fill(dsn: str, folder: Path, manifest: Manifest, tell: Tell) -> None:
    """Fill a database that was checked with a backup that was, and bring it to the newest schema.

    Raises:
        BadBackup: A line does not follow the one before it, or there is something in the database by now.
        OSError: Nobody answers, or a file cannot be read.
        asyncpg.PostgresError: The database refuses; there is nothing in it then.
    """
    await migrate(dsn, manifest.migrations)
    connection = await connect(dsn, {"application_name": "truecup"})
    try:
        async with connection.transaction():
            await _fill(connection, folder, manifest, tell)
    except asyncpg.IntegrityConstraintViolationError as trouble:
        raise BadBackup(f"the backup is no history: {trouble}") from trouble
    finally:
        await connection.close()
    await migrate(dsn)


async def _fill(connection: asyncpg.Connection, folder: Path, manifest: Manifest, tell: Tell) -> None:
    there = {(table.schema, table.name): table for table in await tables_of(connection)}
    if {(copy.schema, copy.name) for copy in manifest.tables} != there.keys():
        raise BadBackup("the backup has other tables than its schema: its manifest was changed")
    await _clear(connection, list(there.values()))
    for number, copy in enumerate(manifest.tables):
        tell(copy.name, number, len(manifest.tables))
        for part in rows_of(folder, copy, PART_BYTES):
            await connection.copy_to_table(
                copy.name, schema_name=copy.schema, columns=list(copy.columns), source=BytesIO(part), format="text"
            )


async def _clear(connection: asyncpg.Connection, tables: list[StoredTable]) -> None:
    """Take away what migrations put into the tables, which are locked until the end; nobody is to play in between."""
    await connection.execute(f"lock table {', '.join(table.quoted for table in tables)} in access exclusive mode")
    await _check_empty(connection, tables)
    for table in tables:
        if table.name in SEEDED:
            await connection.execute(f"delete from {table.quoted}")  # noqa: S608 - as above


async def _check_empty(connection: asyncpg.Connection, tables: list[StoredTable]) -> None:
    full = [
        table.name
        for table in tables
        if table.name not in SEEDED and await connection.fetchval(f"select exists (select from {table.quoted})")  # noqa: S608 - as above
    ]
    if full or (tables and await connection.fetchval(BEGUN)):
        raise BadBackup(f"there is a house in this database already ({', '.join(full or SEEDED)} have rows)")
