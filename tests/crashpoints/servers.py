"""The servers that outlive every house: a Postgres and a NATS in a process beside, and databases on that Postgres."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import asyncpg

from infra.entropy import draw
from infra.store.migrate import migrate
from services.local.servers import LocalServers
from tests.crashpoints.runs import House
from tests.hosting import TEMPLATE, database_of


@contextmanager
def servers(postgres: str | None) -> Iterator[tuple[str, str]]:
    """Yield where a Postgres with a database to copy is, this one or its own, and a NATS.

    What is started here ends with this, or with this process, however that ends.
    """
    told, pipe = os.pipe()
    here, over = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(over)
        _do(lambda: asyncio.run(_host(postgres, pipe, here)))
    os.close(pipe)
    os.close(here)
    with os.fdopen(told) as lines:
        yield lines.readline().strip(), lines.readline().strip()
    os.close(over)
    os.waitpid(child, 0)


async def _host(postgres: str | None, pipe: int, here: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with tempfile.TemporaryDirectory(prefix="truecup-") as folder:
        async with LocalServers(Path(folder), postgres=postgres is None) as running:
            if postgres is None:
                await _run(running.database_url, f"create database {TEMPLATE}")
                await migrate(database_of(running.database_url, TEMPLATE))
            os.write(pipe, f"{postgres or running.database_url}\n{running.nats_url}\n".encode())
            await asyncio.to_thread(os.read, here, 1)


async def _run(database_url: str, *statements: str) -> None:
    admin = await asyncpg.connect(database_url)
    for statement in statements:
        await admin.execute(statement)
    await admin.close()


class Houses:
    """One house after the other, each with a database of its own, on servers with one to copy."""

    def __init__(self, database_url: str, nats_url: str) -> None:
        """Begin with none."""
        self._database_url, self._nats_url = database_url, nats_url
        self._name: str | None = None

    def new(self) -> House:
        """Return the next house; the one before is gone."""
        before, self._name = self._name, f"points_{draw(6).hex()}"
        gone = [] if before is None else [f"drop database {before} with (force)"]
        begun = f"create database {self._name} template {TEMPLATE}"
        in_a_process(lambda: asyncio.run(_run(self._database_url, *gone, begun)))
        return House(database_of(self._database_url, self._name), self._nats_url)


def in_a_process(work: Callable[[], None]) -> None:
    """Do something in a process of its own, and wait for it: whoever forks lives has no loop and no thread."""
    child = os.fork()
    if child == 0:
        _do(work)
    assert os.waitpid(child, 0)[1] == 0, "it has not come to its end"


def _do(work: Callable[[], None]) -> NoReturn:
    code = 1
    try:
        work()
        code = 0
    finally:
        os._exit(code)
