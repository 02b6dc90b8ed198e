"""A member of a set: what one process is to the others, and to whoever started it. A process alone is one, too."""

from __future__ import annotations

import asyncio
import gc
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from infra.files.whole import write_whole
from infra.store import Unavailable
from services.api.dependencies import Dependencies
from services.api.kin import Kin, families_of
from services.api.routes.health import condition_of, meters_of
from services.http.front.server import BoundedServer
from services.http.reach import own_url
from services.matches.reads.transparency import PublishedLog
from services.program.line import Subject
from services.program.sets import ALONE, Part

LOOK_S: Final = 0.01
Ready = Callable[[str], None]
"""Told the address once the program answers there; empty where it answers nobody, or not alone."""


class Member:
    """One process of a set.

    Attributes:
        part: What it does.
        kin: The others; None for a process that is alone.
    """

    def __init__(self, part: Part = ALONE, listening: tuple[socket.socket, ...] = (), kin: Kin | None = None) -> None:
        """Do this part, and answer at these sockets, which all who answer share, or where the settings say."""
        self.part = part
        self.kin = kin
        self._listening = list(listening)
        self._parts: Dependencies | None = None

    def join(self, parts: Dependencies) -> None:
        """Speak of these parts from now on."""
        self._parts = parts

    async def answer(self, about: Subject) -> bytes | None:
        """Return what the others want to know of this process, as JSON; None before it has any parts."""
        if self._parts is None:
            return None
        if about == "meters":
            return families_of(await meters_of(self._parts))
        return msgspec.json.encode(await condition_of(self._parts))

    async def serve(self, server: BoundedServer) -> None:
        """Answer until the server is told to stop."""
        if self.part.answers:
            await server.serve(self._listening or None)
            return
        server.started = True
        while not server.should_exit:
            await asyncio.sleep(LOOK_S)
        if self._parts is not None:
            self._parts.doors.close()

    async def tell(self, server: BoundedServer, host: str, folder: Path, ready: Ready) -> None:
        """Say once that this process is ready, and where, if it is the one to say so."""
        while not server.started:
            await asyncio.sleep(LOOK_S)
        _spare_the_collector()
        if self.part != ALONE:
            ready("")
            return
        address = own_url(host, server.port)
        leave_address(folder, address)
        ready(address)


def leave_address(folder: Path, address: str) -> None:
    """Leave the address where programs on this machine look for it."""
    write_whole(folder / "url", f"{address}\n".encode(), durably=False)


async def leave_policy(folder: Path, published: PublishedLog) -> None:
    """Leave the policy in force where commands on this machine look for it, once there is one."""
    with suppress(Unavailable):
        write_whole(folder / "policy.txt", await published.policy())


def _spare_the_collector() -> None:
    """Let garbage collection pass over what is there now, which stays, and look at little at a time.

    To look through all of it stops the program for a tenth of a second; to look through what a crowd of readers has
    brought, a hundred thousand objects by the usual thresholds, for a fifth of that.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 2, 500)
