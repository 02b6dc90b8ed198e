"""What a benchmark runs against: servers in a temporary folder or those configured, the service, a bare route."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from msgspec import Struct

from infra.config import PREFIX, Config
from infra.migrate import migrate
from services.local.child import Child
from services.local.servers import LocalServers

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
        service = await stack.enter_async_context(
            _program(folder, "services.cli.main", ["serve", "--port", "0"], settings)
        )
        bare = await stack.enter_async_context(_program(folder, "services.cli.bench.bare", [], {}))
        yield Rig(database_url, nats_url, service, bare)


@asynccontextmanager
async def _program(folder: Path, module: str, arguments: list[str], settings: dict[str, str]) -> AsyncIterator[str]:
    """Run a module of ours as a program of its own, which ends with this one, and give its address."""
    unset = [part for name in os.environ if name.startswith(PREFIX) for part in ("-u", name)]
    given = [f"{name}={text}" for name, text in settings.items()]
    log = folder / f"{module}.log"
    child = Child(module, ["env", *unset, *given, sys.executable, "-u", "-m", module, *arguments], log)
    try:
        await child.ready(lambda: _address(log) is not None)
        address = _address(log)
        assert address is not None, "it has just been found"
        yield address
    finally:
        await child.stop()


def _address(log: Path) -> str | None:
    """Return the address that a program has printed into its log."""
    lines = log.read_text(encoding="utf-8").splitlines()
    return next((line.partition(MARK)[2] for line in lines if MARK in line), None)
