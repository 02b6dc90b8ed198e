"""The rig of a benchmark: servers in a temporary folder or those configured, the service, a bare route."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from msgspec import Struct

from infra.config import PREFIX, Config
from infra.store.migrate import migrate
from services.local.child import Child
from services.local.servers import LocalServers

MARK: Final = "running at "
COMMAND: Final = "services.cli.main"
POSTGRES, NATS = "Postgres", "NATS"
"""Names of the servers' processes."""
LOOPBACK: Final = "127.0.0.1"


class RigPlace(Struct, frozen=True):
    """The servers a benchmark stands on, and a folder of its own.

    Attributes:
        pids: The processes of the servers that were started for it, by name.
    """

    folder: Path
    database_url: str
    nats_url: str
    pids: dict[str, int] = {}


class Program(Struct, frozen=True):
    """A program of ours that runs: its address and its process."""

    url: str
    pid: int


class Rig(Struct, frozen=True):
    """Where everything is."""

    place: RigPlace
    service: Program
    bare: Program


@asynccontextmanager
async def rig(config: Config) -> AsyncIterator[Rig]:
    """Start everything, and leave nothing behind but, in a database of yours, the matches that were played."""
    async with servers(config) as place, beside_bare(place) as found:
        yield found


@asynccontextmanager
async def beside_bare(place: RigPlace, processes: int = 1, **more: str) -> AsyncIterator[Rig]:
    """Run the service in so many processes, with more settings by their names, and the bare route beside it."""
    async with (
        service(place, "service", proxies=LOOPBACK, processes=processes, more=more) as serving,
        running(place, "services.cli.bench.rig.bare") as bare,
    ):
        yield Rig(place, serving, bare)


@asynccontextmanager
async def servers(config: Config) -> AsyncIterator[RigPlace]:
    """Start the servers that these settings do not name, and bring the database to the newest schema."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="truecup-bench-", ignore_cleanup_errors=True)))
        database_url, nats_url, pids = config.database_url, config.nats_url, dict[str, int]()
        if database_url is None or nats_url is None:
            local = LocalServers(folder / "servers", postgres=database_url is None, nats=nats_url is None)
            await stack.enter_async_context(local)
            pids = {} if database_url else {POSTGRES: local.postgres_pid}
            pids |= {} if nats_url else {NATS: local.nats_pid}
            database_url, nats_url = database_url or local.database_url, nats_url or local.nats_url
        await migrate(database_url)
        yield RigPlace(folder, database_url, nats_url, pids)


@asynccontextmanager
async def service(
    place: RigPlace,
    name: str,
    before: Sequence[str] = (),
    proxies: str | None = None,
    processes: int = 1,
    module: Sequence[str] = (COMMAND,),
    more: Mapping[str, str] | None = None,
) -> AsyncIterator[Program]:
    """Run the service on these servers, with a log of this name, started by these words if there are any.

    It believes these proxies: a benchmark's clients are different people, whom one connection each speaks for. It is
    the command in `module`, with what that takes first, and in as many processes as asked for; `more` are settings.
    """
    settings = {
        "TRUECUP_DATABASE_URL": place.database_url,
        "TRUECUP_NATS_URL": place.nats_url,
        "TRUECUP_DATA": str(place.folder / "service"),
        "TRUECUP_LOG_LEVEL": "error",
        **({} if proxies is None else {"TRUECUP_PROXIES": proxies}),
        **(more or {}),
    }
    main, *first = module
    argv = [*before, *program(main, [*first, "serve", "--port", "0", "--processes", str(processes)], settings)]
    async with _running(argv, place.folder / f"{name}.log") as found:
        yield found


def program(module: str, arguments: Sequence[str], settings: Mapping[str, str]) -> list[str]:
    """Return the words that start a module of ours as a program, with these settings and no others."""
    unset = [part for name in os.environ if name.startswith(PREFIX) for part in ("-u", name)]
    given = [f"{name}={text}" for name, text in settings.items()]
    return ["env", *unset, *given, sys.executable, "-u", "-m", module, *arguments]


@asynccontextmanager
async def running(place: RigPlace, module: str) -> AsyncIterator[Program]:
    """Run a module of the bench as a program that says where it listens."""
    async with _running(program(module, [], {}), place.folder / f"{module}.log") as found:
        yield found


@asynccontextmanager
async def _running(argv: Sequence[str], log: Path) -> AsyncIterator[Program]:
    """Run a program, which ends with this one, and give its address."""
    child = Child(log.stem, argv, log)
    try:
        await child.ready(lambda: _address(log) is not None)
        address = _address(log)
        assert address is not None, "it has just been found"
        yield Program(address, child.pid)
    finally:
        await child.stop()


def _address(log: Path) -> str | None:
    """Return the address that a program has printed into its log."""
    lines = log.read_text(encoding="utf-8").splitlines()
    return next((line.partition(MARK)[2] for line in lines if MARK in line), None)
