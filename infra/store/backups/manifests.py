"""The manifest of a backup: what there is, and whether the files beside it are those that it names."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal, TypeVar

import msgspec
from msgspec import Struct

MANIFEST: Final = "manifest.json"
FORMAT: Final = "truecup-backup/1"
BLOCK_BYTES: Final = 1 << 20
ROW_BYTES_MAX: Final = 1 << 30
"""Postgres takes no longer ones. A row is held in memory as a whole."""
_NAMES: Final = re.compile(r"[a-z][a-z_]{0,62}")
_Said = TypeVar("_Said", bound=Struct)


class BadBackup(Exception):  # noqa: N818 - named for what was found
    """A backup that is not what it says, or that cannot be taken or restored here; the message says why."""


class TableCopy(Struct, frozen=True):
    """A table in a backup.

    Attributes:
        schema: Where it is in the database.
        name: What it is called there.
        columns: What a row has, in this order.
        rows: How many there are.
        bytes: How long the text of all rows is, before it is compressed.
        sha256: Its hash, as hex.
    """

    schema: str
    name: str
    columns: tuple[str, ...]
    rows: int
    bytes: int
    sha256: str

    @property
    def file(self) -> str:
        """The file that it is in."""
        return f"{self.name}.gz"


class Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    """What a backup says of itself.

    Attributes:
        program: The release of the program that took it.
        made_at: When, in Unix milliseconds.
        server: The version of the Postgres.
        migrations: Those that had been applied, in order.
        tables: What is in it, in the order in which it is filled.
        positions: The last position of each shard.
        entries: How many entries the transparency log had.
        checkpoint: Its newest checkpoint, None before the first.
        policy: The policy that this checkpoint met.
    """

    format: Literal["truecup-backup/1"]
    program: str
    made_at: int
    server: str
    migrations: tuple[str, ...]
    tables: tuple[TableCopy, ...]
    positions: dict[int, int]
    entries: int
    checkpoint: str | None
    policy: str | None


def read_manifest(folder: Path) -> Manifest:
    """Return what a backup says of itself.

    Raises:
        BadBackup: There is no whole backup in this folder.
    """
    return read_as(folder / MANIFEST, Manifest, "backup")


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest, on disk before this returns."""
    write_new(folder / MANIFEST, manifest)


def read_as(path: Path, kind: type[_Said], what: str) -> _Said:
    """Return what a file says of the whole that it lies in, named in words.

    Raises:
        BadBackup: It is not there, or says something else.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except OSError as trouble:
        raise BadBackup(f"{path.parent} holds no whole {what}: its {path.name} cannot be read") from trouble
    except (msgspec.DecodeError, UnicodeDecodeError) as trouble:
        raise BadBackup(f"{path} is no manifest of a backup: {trouble}") from trouble


def write_new(path: Path, said: Struct) -> None:
    """Write a file that is not there yet, on disk before this returns."""
    with path.open("xb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(said)) + b"\n")
        file.flush()
        os.fsync(file.fileno())


def check_files(folder: Path, manifest: Manifest) -> None:
    """Read every file to its end and hold it against the manifest. Cost: each byte is unpacked and hashed once.

    Raises:
        BadBackup: A file is not there, was cut or was changed, or is not a file of this folder.
    """
    for table in manifest.tables:
        # Whoever opens a pipe waits for somebody who writes to it.
        if not _NAMES.fullmatch(table.name) or not (folder / table.file).is_file():
            raise BadBackup(f"{table.file} is no file of a backup")
        found, rows, length, row = hashlib.sha256(), 0, 0, 0
        for block in _blocks(folder / table.file):
            found.update(block)
            rows += block.count(b"\n")
            length += len(block)
            row = len(block) - block.rfind(b"\n") - 1 + (0 if b"\n" in block else row)
            if length > table.bytes or row > ROW_BYTES_MAX:
                raise BadBackup(f"{folder / table.file} does not end where it should: it was changed")
        if (found.hexdigest(), rows, length) != (table.sha256, table.rows, table.bytes):
            raise BadBackup(f"{folder / table.file} is not what the manifest says: it was cut, or changed")


def rows_of(folder: Path, table: TableCopy, bytes_max: int) -> Iterator[bytes]:
    """Yield the rows of a table, many at a time, none of them in two parts.

    Args:
        folder: The backup.
        table: The table.
        bytes_max: How long a part is at most, unless a single row is longer.
    """
    part, length = list[bytes](), 0
    with _opened(folder / table.file) as file:
        for row in file:
            if part and length + len(row) > bytes_max:
                yield b"".join(part)
                part, length = [], 0
            part.append(row)
            length += len(row)
    if part:
        yield b"".join(part)


def _blocks(path: Path) -> Iterator[bytes]:
    try:
        with _opened(path) as file:
            while block := file.read(BLOCK_BYTES):
                yield block
    except (OSError, EOFError, zlib.error) as trouble:
        raise BadBackup(f"{path} cannot be read: it was cut, or changed") from trouble


def _opened(path: Path) -> gzip.GzipFile:
    return gzip.GzipFile(path, "rb")
