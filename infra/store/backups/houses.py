"""Backups of houses with several primaries: one of each, all of one moment, and put back together or not at all.

The law of the file: the parts belong to each other. What is written last names each by the hash of its manifest, so
that none of another moment takes its place. Before anything is put back, all parts were read to their ends, and each
has an empty database. A crash in the middle of that leaves some that are filled: whoever begins again makes them anew.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

from infra.config import HOME
from infra.store.backups import filling
from infra.store.backups.cutting import cut
from infra.store.backups.manifests import (
    MANIFEST,
    BadBackup,
    Manifest,
    read_as,
    read_manifest,
    write_manifest,
    write_new,
)
from infra.store.backups.snapshot import Snapshot
from infra.store.backups.taking import Tell, check_free, copy_all, unfinished
from infra.store.primaries.places import SELF

HOUSE: Final = "house.json"
FORMAT: Final = "truecup-backup-house/1"
_NAMES: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class HouseManifest(Struct, frozen=True, forbid_unknown_fields=True):
    """What a backup of several primaries says of itself.

    Attributes:
        house: The name that all of them bear.
        parts: The hash of the manifest of each, as hex, by the name of the primary.
        positions: The last position of each shard, where it lives.
        rows: How many rows there are in all parts.
        entries: How many entries the transparency log had.
    """

    format: Literal["truecup-backup-house/1"]
    house: str
    parts: dict[str, str]
    positions: dict[int, int]
    rows: int
    entries: int


async def back_up_house(home: str, others: Mapping[str, str], folder: Path, program: str, tell: Tell) -> HouseManifest:
    """Take a backup of all primaries of a house into a folder that is not there yet, or is empty.

    Args:
        home: The address of the home, by the login that owns its tables.
        others: Those of the other primaries, by their names.
        folder: Where to.
        program: The release that takes it.
        tell: Told how far it is.

    Raises:
        BadBackup: There is something in the folder, from the first or by the end; a schema is not one that this program
            knows; a shard is being moved, or a move of it is not finished.
        WrongPrimary: A database is not the primary it is called.
        OSError: A primary does not answer, or the folder cannot be written.
        asyncpg.PostgresError: The login may not read or hold what is there.
    """
    check_free(folder)
    async with cut(home, others) as parts:
        snapshot = Snapshot(parts[HOME], {name: parts[name] for name in others})
        for fault in await snapshot.misplaced():
            raise BadBackup(fault)
        with unfinished(folder) as making:
            manifests = {}
            for name, connection in parts.items():
                (making / name).mkdir(mode=0o700)
                manifests[name] = await copy_all(connection, making / name, program, tell)
                write_manifest(making / name, manifests[name])
            house = HouseManifest(
                FORMAT,
                (await parts[HOME].fetchrow(SELF))["house"],
                {name: _hash_of(making / name) for name in parts},
                await snapshot.positions(),
                sum(table.rows for each in manifests.values() for table in each.tables),
                manifests[HOME].entries,
            )
            write_new(making / HOUSE, house)
    return house


async def restore_house(home: str, others: Mapping[str, str], folder: Path, tell: Tell) -> None:
    """Fill the empty databases of a house with a backup of as many, and bring them to the newest schema.

    Args:
        home: The address that is to be the home, by the login that is to own its tables.
        others: Those that are to be the other primaries, by the names that they had.
        folder: The backup.
        tell: Told how far it is.

    Raises:
        BadBackup: It is of other primaries, a part is not whole, or not of the same moment, or there is something in a
            database already: nothing was changed, unless the database says of a line that it does not follow.
        OSError: Nobody answers, or a file cannot be read.
        asyncpg.PostgresError: A database refuses; there is nothing in it then.
    """
    house, addresses = read_house(folder), {HOME: home, **others}
    if house.parts.keys() != addresses.keys():
        named, kept = (", ".join(sorted(each)) for each in (addresses, house.parts))
        raise BadBackup(f"the backup is of the primaries {kept}, and the settings name {named}")
    if len(set(addresses.values())) < len(addresses):
        raise BadBackup("two primaries have one address: each is put back into a database of its own")
    manifests = {name: _part(folder / name, hashed) for name, hashed in house.parts.items()}
    for name, manifest in manifests.items():
        with _naming(name):
            await filling.check_empty(addresses[name])
            await filling.check(addresses[name], folder / name, manifest)
    for name, manifest in manifests.items():
        with _naming(name):
            await filling.fill(addresses[name], folder / name, manifest, tell)


def is_of_several(folder: Path) -> bool:
    """Report whether a backup is one of several primaries."""
    return (folder / HOUSE).exists()


def read_house(folder: Path) -> HouseManifest:
    """Return what a backup of several primaries says of itself.

    Raises:
        BadBackup: There is no whole one in this folder.
    """
    found = read_as(folder / HOUSE, HouseManifest, "backup of several primaries")
    if not all(_NAMES.fullmatch(name) for name in found.parts):
        raise BadBackup(f"{folder / HOUSE} names primaries that can be none")
    return found


def _part(folder: Path, hashed: str) -> Manifest:
    manifest = read_manifest(folder)
    if _hash_of(folder) != hashed:
        raise BadBackup(f"{folder} is not the part that was taken with the others: it is of another moment, or changed")
    return manifest


def _hash_of(folder: Path) -> str:
    return hashlib.sha256((folder / MANIFEST).read_bytes()).hexdigest()


@contextmanager
def _naming(name: str) -> Iterator[None]:
    """Say of which primary something is wrong with."""
    try:
        yield
    except BadBackup as trouble:
        raise BadBackup(f"{name}: {trouble}") from trouble
