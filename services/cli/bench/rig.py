"""What a benchmark runs against: servers in a temporary folder or those configured, the service, a bare route."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from msgspec import Struct

from infra.config import Config
from infra.migrate import migrate
from services.cli.exits import CannotDo
from services.local.servers import LocalServers

START_S: Final = 30.0
STOP_S: Final = 8.0
MARK: Final = "running at "


class Rig(Struct, frozen=True):
    """Where everything is."""

    database_url: str
    nats_url: str
    service: str
    bare: str


@asynccontextmanager
async def rig(config: Config) -> AsyncIterator[Rig]:
    """Start everything, and leave nothing behind but, in a database of yours, the matches that were played."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="truecup-bench-", ignore_cleanup_errors=True)))
        database_url, nats_url = config.database_url, config.nats_url
        if database_url is None or nats_url is None:
            local = LocalServers(folder / "servers", postgres=database_url is None, nats=nats_url is None)
            await stack.enter_async_context(local)
            database_url, nats_url = database_url or local.database_url, nats_url or local.nats_url
        await migrate(database_url)
        settings = {
            "TRUECUP_DATABASE_URL": database_url,
            "TRUECUP_NATS_URL": nats_url,
            "TRUECUP_DATA": str(folder / "service"),
            "TRUECUP_LOG_LEVEL": "error",
        }
        service = await stack.enter_async_context(_program(["services.cli.main", "serve", "--port", "0"], settings))
        bare = await stack.enter_async_context(_program(["services.cli.bench.bare"], {}))
        yield Rig(database_url, nats_url, service, bare)


@asynccontextmanager
async def _program(arguments: list[str], settings: dict[str, str]) -> AsyncIterator[str]:
    """Run a module of ours as a program of its own and give its address."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith("TRUECUP_")} | settings
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", *arguments, stdout=PIPE, stderr=DEVNULL, env=environment, start_new_session=True
    )
    try:
        yield await _address(child, arguments[0])
    finally:
        await _stopped(child)


async def _address(child: Process, name: str) -> str:
    assert child.stdout is not None
    with suppress(TimeoutError):
        async with asyncio.timeout(START_S):
            async for line in child.stdout:
                _, found, address = line.decode().strip().partition(MARK)
                if found:
                    return address
    raise CannotDo(f"{name} did not start; `truecup doctor` may know why")


async def _stopped(child: Process) -> None:
    with suppress(ProcessLookupError):
        child.send_signal(signal.SIGINT)
    try:
        async with asyncio.timeout(STOP_S):
            await child.wait()
    except TimeoutError:
        child.kill()
        await child.wait()
