"""A house whose database is lost, and what is put back in its place; its witnesses and its bus outlive it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from infra.config import Config
from services.local.servers import LocalServers
from services.program.grounds import own_witnesses
from tests.crash.forked import run
from tests.crash.house import Service, Table, health_of, wait_until

RULES: dict[str, Any] = {"options": {"dice_per_player": 1}, "seats": 3}


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
        environment = self.at(database_url).environment
        ended = run([*command, "--json", "--data", str(self.folder)], environment)
        assert ended.stdout, ended.stderr
        return ended.returncode, json.loads(ended.stdout)

    def reason(self, service: Service) -> str:
        """Wait until the house says why its log cannot go on."""
        wait_until(lambda: "log" in health_of(service)[1])
        return health_of(service)[1]["log"]


@asynccontextmanager
async def rehearsing(folder: Path) -> AsyncIterator[Rehearsal]:
    """Give a house that is not started yet, below this folder."""
    own = own_witnesses(Config(), folder / "house")
    async with LocalServers(folder / "others", postgres=False, witnesses=own) as servers:
        made = Rehearsal(servers.nats_url, folder / "house", ", ".join(f"{one.vkey} {one.url}" for one in own))
        try:
            yield made
        finally:
            made.end()


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
