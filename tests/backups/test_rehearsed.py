"""A backup taken while people play, put back elsewhere: play goes on, and an older one is found for what it is."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
import pytest_asyncio

from infra.config import Config
from services.local.servers import LocalServers
from services.program.grounds import own_witnesses
from tests.crash.house import ROOT, Service, Table
from tests.crash.test_killed import assert_kept
from tests.hosting import a_database

RULES: dict[str, Any] = {"options": {"dice_per_player": 1}, "seats": 3}
PATIENCE_S = 120
LOOK_S = 0.1


class Rehearsal:
    """A house whose database is to be lost, its witnesses, and the settings under which it is put back elsewhere."""

    def __init__(self, nats_url: str, folder: Path, witnesses: str) -> None:
        self.folder = folder
        self._nats_url = nats_url
        self._witnesses = witnesses
        self._running: list[Service] = []

    def at(self, database_url: str) -> Service:
        """Return the same house, with its key and its witnesses, on another database."""
        return Service(database_url, self._nats_url, self.folder, witnesses=self._witnesses)

    async def start(self, database_url: str) -> Service:
        """Start the house on a database."""
        service = self.at(database_url)
        self._running.append(service)
        await asyncio.to_thread(service.start)
        return service

    def end(self) -> None:
        for service in self._running:
            service.kill()

    def run(self, database_url: str, *command: str) -> tuple[int, dict[str, Any]]:
        """Return how a command about a database ended, and what it says."""
        argv = [sys.executable, "-m", "services.cli.main", *command, "--json", "--data", str(self.folder)]
        environment = self.at(database_url).environment
        ended = subprocess.run(argv, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert ended.stdout, ended.stderr
        return ended.returncode, json.loads(ended.stdout)

    def reason(self, service: Service) -> str:
        """Wait until the house says why its log cannot go on."""
        deadline = monotonic() + PATIENCE_S
        while monotonic() < deadline:
            with service.client() as client:
                told = client.get(client.base_url.join("/health/ready")).json()["reasons"]
            if "log" in told:
                return str(told["log"])
        raise AssertionError("the log goes on")


@pytest_asyncio.fixture
async def rehearsal(tmp_path: Path) -> AsyncIterator[Rehearsal]:
    folder = tmp_path / "house"
    own = own_witnesses(Config(), folder)
    async with LocalServers(tmp_path / "others", postgres=False, witnesses=own) as servers:
        made = Rehearsal(servers.nats_url, folder, ", ".join(f"{one.vkey} {one.url}" for one in own))
        yield made
        made.end()


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


def finish_and_export(table: Table) -> bytes:
    """Play a match to its end, unless it is over, and return its record, which audits."""
    table.finish()
    assert table.audited().status == "OK"
    with table.service.client() as client:
        return table.record(client)


def played_for(table: Table, steps: int) -> None:
    """Let those who may act act so many times, unless the match is over before."""
    with table.service.client() as client:
        done = len(table.sent)
        while len(table.sent) < done + steps and not table.step(client):
            pass
