"""A backup taken: one snapshot of the database, while everybody goes on.

The law of the file: a folder under its name is a whole backup. It is written under a name of its own, and its manifest
last; a crash leaves a folder that ends in `.partial`, which nobody takes for one. Of two that are taken into one folder
at once, the one that is whole first is there.
"""

from __future__ import annotations

import errno
import gzip
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from typing import IO, Final

import asyncpg

from infra.clock import now_ms
from infra.store.backups.manifests import FORMAT, BadBackup, Manifest, TableCopy, write_manifest
from infra.store.backups.tables import StoredTable, applied, tables_of
from infra.store.logins import connect
from infra.store.migrate import migrations

POSITIONS: Final = "select shard, position from shard order by shard"
ENTRIES: Final = "select size from log_state"
NEWEST: Final = (
    "select c.note, p.text from log_checkpoint c join log_policy p on p.number = c.policy"
    " order by c.size desc, c.policy desc limit 1"
)
PRIMARIES: Final = "0025"
CLOSED: Final = "select exists (select from shard where closed_at is not null)"
LEVEL: Final = 6
"""How hard gzip tries: the next step takes a third longer and saves a hundredth."""
Tell = Callable[[str, int, int], None]
"""Told which table comes next, the number of those behind us, and of all."""


async def back_up(dsn: str, folder: Path, program: str, tell: Tell) -> Manifest:
    """Take a backup into a folder that is not there yet, or is empty.

    Args:
        dsn: The database, by a login that may read all of it.
        folder: Where to.
        program: The release that takes it.
        tell: Told how far it is.

    Raises:
        BadBackup: There is something in the folder, from the first or by the end, or the schema is not one that this
            program knows, or some shards live at other primaries.
        OSError: Nobody answers, or the folder cannot be written.
        asyncpg.PostgresError: The login may not read it.
    """
    check_free(folder)
    connection = await connect(dsn, {"application_name": "truecup"})
    try:
        with unfinished(folder) as making:
            async with connection.transaction(isolation="repeatable_read", readonly=True):
                await _check_whole(connection)
                manifest = await copy_all(connection, making, program, tell)
            write_manifest(making, manifest)
    finally:
        await connection.close()
    return manifest


@contextmanager
def unfinished(folder: Path) -> Iterator[Path]:
    """Give a folder to fill, which gets its name in the end, unless something goes wrong.

    Raises:
        BadBackup: Another backup has that name by then.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    making = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", suffix=".partial", dir=folder.parent))
    try:
        yield making
        _call(making, folder)
    except BaseException:  # interrupted, too: a crash alone leaves anything
        rmtree(making, ignore_errors=True)
        raise


async def _check_whole(connection: asyncpg.Connection) -> None:
    """Check that no shard lives elsewhere: of a home alone there would be a backup that is none of the house."""
    if PRIMARIES in await applied(connection) and await connection.fetchval(CLOSED):
        raise BadBackup("some shards live at other primaries: name these in TRUECUP_SHARDS")


def check_free(folder: Path) -> None:
    """Check that a backup may be taken into a folder.

    Raises:
        BadBackup: There is something in it.
    """
    if folder.exists() and any(folder.iterdir()):
        raise BadBackup(f"{folder} is not empty: a backup has a folder of its own")


def _call(making: Path, folder: Path) -> None:
    """Give a backup that is whole its name, unless another has it by now."""
    try:
        making.replace(folder)
    except OSError as trouble:
        if trouble.errno in {errno.ENOTEMPTY, errno.EEXIST}:
            raise BadBackup(
                f"{folder} has been filled meanwhile, as by another backup: this one is given up"
            ) from trouble
        raise


async def copy_all(connection: asyncpg.Connection, folder: Path, program: str, tell: Tell) -> Manifest:
    """Copy all that a database holds into a folder that is there, as the transaction of this connection sees it.

    Raises:
        BadBackup: The schema is not one that this program knows.
    """
    known = [version for version, _ in migrations()]
    schema = await applied(connection)
    if not schema or not set(schema) <= set(known):
        raise BadBackup("the schema of this database is not one that this program knows: take the one that migrated it")
    found = await tables_of(connection)
    copies = []
    for number, table in enumerate(found):
        tell(table.name, number, len(found))
        copies.append(await _copy(connection, folder, table))
    newest = await connection.fetchrow(NEWEST)
    return Manifest(
        FORMAT,
        program,
        now_ms(),
        await connection.fetchval("show server_version"),
        schema,
        tuple(copies),
        {row["shard"]: row["position"] for row in await connection.fetch(POSITIONS)},
        await connection.fetchval(ENTRIES),
        *((None, None) if newest is None else newest),
    )


async def _copy(connection: asyncpg.Connection, folder: Path, table: StoredTable) -> TableCopy:
    columns = ", ".join(f'"{column}"' for column in table.columns)
    keys = ", ".join(f'"{column}"' for column in table.keys)
    path = folder / f"{table.name}.gz"
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        text = _Text(file)
        query = f"select {columns} from {table.quoted} order by {keys}"  # noqa: S608 - names that the catalog gave
        await connection.copy_from_query(query, output=text)
        text.close()
        file.flush()
        os.fsync(file.fileno())
    return TableCopy(table.schema, table.name, table.columns, text.rows, text.bytes, text.hash.hexdigest())


class _Text:
    """The rows of a table as text: counted, hashed and compressed as they come. The driver writes in a thread."""

    def __init__(self, file: IO[bytes]) -> None:
        self.rows = 0
        self.bytes = 0
        self.hash = hashlib.sha256()
        # Without a time and a name: the same rows are the same file.
        self._file = gzip.GzipFile("", "wb", LEVEL, file, mtime=0)

    def write(self, text: bytes) -> None:
        self.rows += text.count(b"\n")
        self.bytes += len(text)
        self.hash.update(text)
        self._file.write(text)

    def close(self) -> None:
        self._file.close()
