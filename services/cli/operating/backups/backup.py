"""`truecup backup`: one state of the database in a folder, the key beside it only if it is asked for."""

from __future__ import annotations

import asyncio
import os
from errno import EEXIST
from pathlib import Path

import asyncpg
from rich.progress import Progress

from infra.config import Config
from infra.files.whole import FOR_ITS_OWNER, write_first
from infra.store import Unavailable
from infra.store.backups.houses import HouseManifest, back_up_house
from infra.store.backups.manifests import BadBackup, Manifest
from infra.store.backups.taking import back_up
from services.cli.exits import FINE
from services.cli.operating.backups.places import place_of
from services.cli.screen import bar, say, say_json, show_parts
from services.cli.settings import folder_of, settings
from services.client.house import CannotDo
from services.matches.secrets.keys import load_or_make_key
from services.words.figures import figure
from services.work.startup import CannotStart, program_version


def backup(folder: Path, /, *, with_key: Path | None = None, data: Path | None = None, json: bool = False) -> int:
    """Take a backup.

    Args:
        folder: Where to: a folder that is not there yet, or is empty.
        with_key: A file outside of it, which is not there yet, for the key of the house.
        data: The folder for everything Truecup keeps.
        json: Print one JSON document.
    """
    config = settings(data=data)
    keys = [] if with_key is None else _keys(config, folder_of(config), folder, with_key)
    try:
        with bar() as progress:
            manifest = asyncio.run(_backup(config, folder_of(config), folder.resolve(), progress))
        for path, text in keys:
            _write_secret(path, text)
    except BadBackup as trouble:
        raise CannotDo(str(trouble)) from trouble
    except (CannotStart, OSError, TimeoutError, Unavailable, asyncpg.PostgresError) as trouble:
        raise CannotDo(f"no backup could be taken: {trouble}") from trouble
    say_json(manifest) if json else say(*_words(manifest, folder, [path for path, _ in keys]))
    return FINE


async def _backup(config: Config, data: Path, folder: Path, progress: Progress) -> Manifest | HouseManifest:
    async with place_of(config, data, asks=False) as place:
        tell = show_parts(progress, "backup")
        if place.others:
            return await back_up_house(place.database_url, place.others, folder, program_version(), tell)
        return await back_up(place.database_url, folder, program_version(), tell)


def _keys(config: Config, data: Path, folder: Path, path: Path) -> list[tuple[Path, str]]:
    """Return the files of the key and of those of before, with what is to stand in them.

    Raises:
        CannotDo: There is no key here, or one of the files must not be written.
    """
    if config.key is None and not (data / "key").exists():
        raise CannotDo("there is no key here to be kept: neither TRUECUP_KEY nor a key in the data folder")
    found = [(path, config.key or load_or_make_key(data / "key").hex())]
    if config.key_before is not None:
        found.append((path.with_name(f"{path.name}.before"), config.key_before))
    for each, _ in found:
        if each.exists():
            raise CannotDo(f"{each} is there already")
    if path.resolve().is_relative_to(folder.resolve()):
        raise CannotDo("the key has no place in the backup: whoever has both can read the hidden dice of open deals")
    return found


def _write_secret(path: Path, text: str) -> None:
    secret = f"{text}\n".encode("ascii")
    if write_first(path, secret, FOR_ITS_OWNER) != secret:
        raise FileExistsError(EEXIST, os.strerror(EEXIST), str(path))


def _words(manifest: Manifest | HouseManifest, folder: Path, keys: list[Path]) -> list[str]:
    rows = manifest.rows if isinstance(manifest, HouseManifest) else sum(table.rows for table in manifest.tables)
    lines = sum(manifest.positions.values())
    there = f"rows: {figure(rows)}; lines: {figure(lines)}; entries of the transparency log: {figure(manifest.entries)}"
    kept = [f"{path} has the key: keep it elsewhere than the backup" for path in keys]
    return [
        f"{folder} is a whole backup. {there}",
        *(kept or ["The key is not in it: keep a copy of that elsewhere (--with-key)"]),
    ]
