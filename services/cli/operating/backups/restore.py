"""`truecup restore` and `truecup verify`: a backup put back, and a database held against what witnesses have seen."""

from __future__ import annotations

import asyncio
from pathlib import Path

import asyncpg
from rich.progress import Progress

from infra.config import Config
from infra.store import Unavailable
from infra.store.backups.clearing import clear_rows
from infra.store.backups.filling import restore as fill
from infra.store.backups.houses import is_of_several, restore_house
from infra.store.backups.manifests import BadBackup, read_manifest
from services.cli.operating.backups.places import HousePlace, place_of
from services.cli.operating.backups.rebuilding import REBUILT
from services.cli.operating.backups.verdict import EXITS, DatabaseVerdict, judge_database, verdict_words
from services.cli.screen import bar, say, say_json, show_parts
from services.cli.settings import folder_of, settings
from services.client.house import CannotDo
from services.work.startup import CannotStart


def restore(folder: Path, /, *, data: Path | None = None, json: bool = False, rebuild: bool = False) -> int:
    """Restore a backup.

    Args:
        folder: The backup.
        data: The folder for everything Truecup keeps.
        json: Print one JSON document.
        rebuild: Throw rows of lists and counts away that are not what comes of the lines.
    """
    return _run(settings(data=data), folder, json=json, rebuild=rebuild)


def verify(*, data: Path | None = None, json: bool = False, rebuild: bool = False) -> int:
    """Verify the database.

    Args:
        data: The folder for everything Truecup keeps.
        json: Print one JSON document.
        rebuild: Throw rows of lists and counts away that are not what comes of the lines.
    """
    return _run(settings(data=data), None, json=json, rebuild=rebuild)


def _run(config: Config, folder: Path | None, *, json: bool, rebuild: bool) -> int:
    """Fill the database with the backup in this folder, if one is named, and say what is to be said of it."""
    try:
        with bar() as progress:
            verdict = asyncio.run(_judge(config, folder, progress, rebuild=rebuild))
    except BadBackup as trouble:
        raise CannotDo(str(trouble)) from trouble
    except (CannotStart, OSError, TimeoutError, Unavailable, asyncpg.PostgresError) as trouble:
        what = "verified" if folder is None else "restored"
        raise CannotDo(f"the database could not be {what}: {trouble}") from trouble
    say_json(verdict) if json else say(*verdict_words(verdict))
    return EXITS[verdict.state]


async def _judge(config: Config, folder: Path | None, progress: Progress, *, rebuild: bool) -> DatabaseVerdict:
    async with place_of(config, folder_of(config)) as place:
        if folder is not None:
            await _fill(place, folder, progress)
        verdict = await judge_database(place, config.origin, progress)
        if rebuild and verdict.state == "rebuild":
            for database_url in (place.database_url, *place.others.values()):
                await clear_rows(database_url, REBUILT)
            verdict = await judge_database(place, config.origin, progress)
        return verdict


async def _fill(place: HousePlace, folder: Path, progress: Progress) -> None:
    tell = show_parts(progress, "restore")
    if place.others or is_of_several(folder):
        await restore_house(place.database_url, place.others, folder, tell)
    else:
        await fill(place.database_url, folder, read_manifest(folder), tell)
