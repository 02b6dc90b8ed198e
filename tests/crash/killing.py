"""Servers that are killed once they are up: one that is still coming back cannot be killed in play."""

from __future__ import annotations

import asyncio
import os
import signal
from urllib.parse import urlsplit

import asyncpg

from services.local.servers import LocalServers
from tests.relay.playing import eventually

PATIENCE_S = 300.0
LOOK_S = 0.1


async def kill_database(servers: LocalServers) -> None:
    """Kill the database that takes connections, or will in a moment."""
    await until_up(servers)
    os.kill(servers.postgres_pid, signal.SIGKILL)


async def kill_bus(servers: LocalServers) -> None:
    """Kill the bus that takes connections, or will in a moment."""
    await eventually(lambda: _listens(servers.nats_url), PATIENCE_S, LOOK_S)
    os.kill(servers.nats_pid, signal.SIGKILL)


async def until_up(servers: LocalServers) -> None:
    """Return once the database takes connections."""
    await eventually(lambda: _is_up(servers.database_url), PATIENCE_S, LOOK_S)


async def _is_up(database_url: str) -> bool:
    try:
        await (await asyncpg.connect(database_url)).close()
    except (OSError, asyncpg.PostgresError):
        return False
    return True


async def _listens(url: str) -> bool:
    parts = urlsplit(url)
    try:
        _, writer = await asyncio.open_connection(parts.hostname, parts.port)
    except OSError:
        return False
    writer.transport.abort()
    return True
