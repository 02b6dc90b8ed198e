"""A backup taken while people play, put back elsewhere: play goes on, and an older one is found for what it is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.backups.rehearsal import RULES, Rehearsal, finish_and_export, played_for, rehearsing
from tests.crash.house import Service, Table
from tests.crash.test_killed import assert_kept
from tests.hosting import a_database


@pytest_asyncio.fixture
async def rehearsal(tmp_path: Path) -> AsyncIterator[Rehearsal]:
    async with rehearsing(tmp_path) as made:
        yield made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "backups"


async def test_a_backup_that_is_put_back_elsewhere_goes_on_and_an_older_one_is_found(
    rehearsal: Rehearsal, database: str, postgres_dsn: str, folder: Path
) -> None:
    service = await rehearsal.start(database)
    first = await asyncio.to_thread(Table, service, RULES)
    exported = await asyncio.to_thread(finish_and_export, first)
    second = await asyncio.to_thread(Table, service, {**RULES, "options": {"dice_per_player": 2}}, 2)
    monday = await backed_up_while(rehearsal, database, folder, second)
    third = await asyncio.to_thread(Table, service, RULES, 3)
    await asyncio.to_thread(third.finish)
    await asyncio.to_thread(service.stop)
    _, tuesday = await asyncio.to_thread(rehearsal.run, database, "backup", str(folder / "tuesday"))

    async with a_database(postgres_dsn, "template1") as elsewhere, a_database(postgres_dsn, "template1") as older:
        code, told = await asyncio.to_thread(rehearsal.run, elsewhere, "restore", str(folder / "tuesday"))
        assert (code, told["state"], told["faults"], told["missing"]) == (0, "newest", [], 0)
        restored = await goes_on(rehearsal, elsewhere, first, second, third)
        assert await asyncio.to_thread(finish_and_export, first) == exported
        await asyncio.to_thread(restored.stop)

        code, told = await asyncio.to_thread(rehearsal.run, older, "restore", str(folder / "monday"))
        assert (code, told["state"], told["faults"]) == (1, "older", [])
        assert told["missing"] >= tuesday["entries"] - monday["entries"] > 0
        await does_not_go_on(rehearsal, older)


async def backed_up_while(rehearsal: Rehearsal, database: str, folder: Path, table: Table) -> dict[str, Any]:
    """Take a backup, with the key, while a match is played."""
    playing = asyncio.create_task(asyncio.to_thread(played_for, table, 5))
    named = ("--with-key", str(folder / "key"))
    code, manifest = await asyncio.to_thread(rehearsal.run, database, "backup", str(folder / "monday"), *named)
    await playing
    assert (code, (folder / "key").read_text()) == (0, (rehearsal.folder / "key").read_text())
    return manifest


async def goes_on(rehearsal: Rehearsal, database: str, *tables: Table) -> Service:
    """Start the house where it was put back, and play what was played when the backup was taken to its end."""
    restored = await rehearsal.start(database)
    for table in tables:
        table.service = restored
        await asyncio.to_thread(table.finish)
        await asyncio.to_thread(assert_kept, table)
    return restored


async def does_not_go_on(rehearsal: Rehearsal, database: str) -> None:
    """Start the house on an older state all the same: it says what is wrong, and begins no deal."""
    forking = await rehearsal.start(database)
    table = await asyncio.to_thread(Table, forking, RULES, 4)
    assert "it has seen more of this log than there is" in await asyncio.to_thread(rehearsal.reason, forking)
    with forking.client() as client:
        assert (await asyncio.to_thread(table.view, client))["deal"]["stage"] == "sealed"
