"""The machine a benchmark ran on."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import asyncpg
import nats
from msgspec import Struct
from msgspec.structs import replace

from infra.config import servers_of


class Machine(Struct, frozen=True):
    """What a figure depends on; `postgres` and `nats` are empty where neither was asked anything."""

    cpu: str
    cores: int
    system: str
    python: str
    postgres: str
    nats: str


def bare_machine() -> Machine:
    """Return the machine, for what needs no server."""
    return Machine(_cpu(), _cores(), f"{platform.system()} {platform.release()}", platform.python_version(), "", "")


async def machine(dsn: str, nats_url: str) -> Machine:
    """Return the machine, and the servers it runs."""
    connection = await asyncpg.connect(dsn)
    postgres = str(await connection.fetchval("show server_version"))
    await connection.close()
    client = await nats.connect(servers_of(nats_url))
    version = client.connected_server_version
    bus = f"{version.major}.{version.minor}.{version.patch}"
    await client.close()
    return replace(bare_machine(), postgres=postgres, nats=bus)


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())


def _cores() -> int:
    """Return how many cores this process may use, which in a container are fewer than there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
