"""A cluster of three NATS servers on this machine, each of which can be killed and started again at its place."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import socket
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import nats
import nats.errors
from nats.aio.client import Client
from nats.js.api import StreamConfig

from infra.config import servers_of
from infra.entropy import draw
from services.local.child import Child
from services.local.nats import binary

SERVERS = 3
WAIT_S = 60.0
FIRST_PORT, PORTS = 20_000, 12_000
"""Ports below those that systems give out."""
PATIENCE_S = 2.0
"""How long JetStream may take to answer before it is asked again."""


def free_ports(count: int) -> list[int]:
    """Return ports of this machine that nobody listens at, and that nobody is given who asks for any port."""
    found = list[int]()
    while len(found) < count:
        port = FIRST_PORT + secrets.randbelow(PORTS)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            found += [] if port in found else [port]
    return found


class Server:
    """One server of the cluster."""

    def __init__(self, folder: Path, name: str, port: int, route: int, routes: Sequence[int], settings: Any) -> None:
        folder.mkdir()
        self.name, self.port = name, port
        self._folder = folder
        own = {
            "server_name": name,
            "host": "127.0.0.1",
            "port": port,
            "jetstream": {"store_dir": str(folder / "jetstream"), "max_file_store": 2**31},
            "cluster": {
                "name": "truecup",
                "host": "127.0.0.1",
                "port": route,
                "routes": [f"nats://127.0.0.1:{each}" for each in routes if each != route],
            },
        }
        (folder / "nats.conf").write_text(json.dumps(own | settings), encoding="utf-8")
        self._child: Child | None = None

    @property
    def pid(self) -> int:
        assert self._child is not None, "it was started"
        return self._child.pid

    async def start(self) -> None:
        self._child = Child(self.name, [str(binary()), "-c", str(self._folder / "nats.conf")], self._folder / "log")
        await self._child.ready(self._listens)

    def _listens(self) -> bool:
        with socket.socket() as trying:
            return trying.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        self.end()

    def end(self) -> None:
        if self._child is not None:
            self._child.kill()


class BusCluster:
    """Three servers with JetStream."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._token = draw(24).hex()
        free = free_ports(2 * SERVERS)
        ports, routes = free[:SERVERS], free[SERVERS:]
        settings = {"authorization": {"token": self._token}}
        self.servers = [
            Server(folder / f"n{number}", f"n{number}", port, route, routes, settings)
            for number, (port, route) in enumerate(zip(ports, routes, strict=True))
        ]

    @property
    def url(self) -> str:
        """What a program is told: all servers."""
        return ",".join(f"nats://{self._token}@127.0.0.1:{server.port}" for server in self.servers)

    async def start(self) -> None:
        """Start all, and return when they keep streams at three places."""
        for server in self.servers:
            await server.start()
        await self.until_kept()

    async def connect(self) -> Client:
        return await nats.connect(servers_of(self.url))

    async def until_kept(self) -> None:
        """Return when streams can be made at all servers."""
        client = await self.connect()
        probe = StreamConfig(name="probe", subjects=["probe"], num_replicas=SERVERS, max_bytes=1_024)
        async with asyncio.timeout(WAIT_S):
            while not await _is_made(client, probe):
                await asyncio.sleep(0.05)
        await client.close()

    async def leader_of(self, stream: str) -> Server:
        """Return the server that leads a stream, once one does."""
        client = await self.connect()
        async with asyncio.timeout(WAIT_S):
            while (led := await _leader(client, stream)) is None:
                await asyncio.sleep(0.05)
        await client.close()
        return next(server for server in self.servers if server.name == led)

    def stop(self) -> None:
        for server in self.servers:
            server.end()


async def _is_made(client: Client, stream: StreamConfig) -> bool:
    """Make a stream and take it away again, and report whether that can be done."""
    jetstream = client.jetstream(timeout=PATIENCE_S)
    with suppress(nats.errors.Error):
        await jetstream.add_stream(stream)
        return await jetstream.delete_stream(str(stream.name))
    return False


async def _leader(client: Client, stream: str) -> str | None:
    with suppress(nats.errors.Error):
        info = await client.jetstream(timeout=PATIENCE_S).stream_info(stream)
        return None if info.cluster is None else info.cluster.leader
    return None
