"""The supervisor: starts the processes of a set, starts each again that dies, and ends all of them when it is told to.

It works at nothing else, so that it is always there. It opens the sockets that those who answer share: each accepts
when it has time to, so whoever is busy gets fewer connections, and whoever comes while one is dead, or all are, waits
for the next that is not. (With a socket for each, SO_REUSEPORT, connections are dealt by a hash: few of them unevenly,
and some to a process that hangs; what waits for one that dies is lost.)
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import msgspec

from infra.config import Config, primaries_of
from infra.store.primaries.naming import join_primaries
from services.http.front.server import BACKLOG
from services.http.reach import own_url
from services.matches.secrets.keys import keys_of
from services.program.app import serve
from services.program.grounds import Where, servers
from services.program.line import Subject
from services.program.member import Ready, leave_address
from services.program.processes.process import Charge, Process
from services.program.roles import KEYED, roles_of
from services.program.sets import parts_of


async def up(config: Config, folder: Path, ready: Ready) -> None:
    """Start what is missing, bring the database to the newest schema, and serve until told to stop."""
    async with servers(config, folder) as where:
        await join_primaries(where.database_url, primaries_of(config.shards))
        await run(config, folder, where, ready)


async def run(config: Config, folder: Path, where: Where, ready: Ready) -> None:
    """Serve until told to stop, by as many processes as the settings ask for.

    Raises:
        Unavailable: The database or the bus does not answer.
        CannotStart: A process cannot do its work, and says why; or no policy can be made of the witnesses.
        AnotherHistory: The log does not say what was signed.
        BrokenProcess: A process met a fault at its start.
    """
    parts = parts_of(config)
    if len(parts) == 1:
        await serve(config, folder, where, ready)
        return
    if roles_of(config) & KEYED:
        keys_of(config, folder)  # made once, before several look for it
    listening = listen(config.host, config.port)
    charges = [Charge(part, settings, str(folder), where) for part, settings in parts]
    await Supervisor(charges, listening).run(
        partial(_tell, config.host, int(listening[0].getsockname()[1]), folder, ready)
    )


class Supervisor:
    """The processes of a set."""

    def __init__(self, charges: Sequence[Charge], listening: Sequence[socket.socket]) -> None:
        """Run these; those who answer do so at these sockets, which are closed in the end."""
        self._listening = listening
        self._processes = [Process(charge, listening, self.answer) for charge in charges]

    async def run(self, ready: partial[None]) -> None:
        """Keep all of them until told to stop, or until one says that it cannot do its work.

        Raises:
            CannotStart: As said.
            AnotherHistory: The log does not say what was signed.
            BrokenProcess: A process met a fault at its start.
        """
        keeping = [asyncio.create_task(each.keep()) for each in self._processes]
        waiting = {asyncio.create_task(self._begin(ready)), *keeping}
        try:
            while waiting:
                done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
        finally:
            await self._stop()
            for task in waiting:
                task.cancel()
            # Those that are over, too: two may have said at once that they cannot do their work, and one is enough.
            await asyncio.gather(*keeping, *waiting, return_exceptions=True)

    async def answer(self, about: Subject) -> bytes:
        """Return what all of them say, by their names."""
        said = await asyncio.gather(*(each.ask(about) for each in self._processes))
        names = [each.name for each in self._processes]
        return msgspec.json.encode(
            {name: None if body is None else msgspec.Raw(body) for name, body in zip(names, said, strict=True)}
        )

    async def _begin(self, ready: partial[None]) -> None:
        for each in self._processes:
            await each.up()
        ready()

    async def _stop(self) -> None:
        """End all: first those who answer, then the one that tells viewers what these have stored."""
        for one in self._listening:
            one.close()
        for each in self._processes:
            each.dismiss()
        for answering in (True, False):
            await asyncio.gather(*(each.stop() for each in self._processes if each.answers is answering))


def listen(host: str, port: int) -> list[socket.socket]:
    """Return a socket that listens at each address of this host, all at the same port; 0 takes a free one.

    Raises:
        OSError: It cannot be done.
    """
    listening: list[socket.socket] = []
    found = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    try:
        for family, kind, protocol, _, address in dict.fromkeys(found):
            one = socket.socket(family, kind, protocol)
            listening.append(one)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            one.bind((address[0], listening[0].getsockname()[1], *address[2:]) if len(listening) > 1 else address)
            one.listen(BACKLOG)
    except OSError:
        for each in listening:
            each.close()
        raise
    return listening


def _tell(host: str, port: int, folder: Path, ready: Ready) -> None:
    address = own_url(host, port)
    leave_address(folder, address)
    ready(address)
