"""The embedded servers and witnesses together, kept alive while the service runs."""

from __future__ import annotations

import asyncio
import fcntl
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import structlog

from services.local.nats import EmbeddedNats
from services.local.postgres import EmbeddedPostgres
from services.local.witness import EmbeddedWitness
from services.work.startup import CannotStart

WATCH_S = 0.2
RESTART_MAX_S = 5.0

log = structlog.get_logger(__name__)
Server = EmbeddedPostgres | EmbeddedNats | EmbeddedWitness


class LocalServers:
    """A Postgres, a NATS and witnesses below one data folder; use it with `async with`.

    Attributes:
        database_url: Where the Postgres is.
        nats_url: Where the NATS is.
        witnesses: The witnesses.
    """

    def __init__(
        self,
        folder: Path,
        *,
        postgres: bool = True,
        nats: bool = True,
        witnesses: Sequence[EmbeddedWitness] = (),
        restart_max_s: float = RESTART_MAX_S,
    ) -> None:
        """Run the servers asked for below this folder, which need not exist.

        Args:
            folder: Where they keep what they have.
            postgres: Whether there is one.
            nats: Whether there is one.
            witnesses: Those that run beside them.
            restart_max_s: How long one that dies again and again waits at most before it is started once more.
        """
        self._restart_max_s = restart_max_s
        self.witnesses = witnesses
        self._folder = folder
        self._postgres = EmbeddedPostgres(folder / "postgres") if postgres else None
        self._nats = EmbeddedNats(folder / "nats") if nats else None
        self._lock: IO[bytes] | None = None
        self._watch: asyncio.Task[None] | None = None

    @property
    def database_url(self) -> str:
        """Where the Postgres is."""
        assert self._postgres is not None
        return self._postgres.url

    @property
    def nats_url(self) -> str:
        """Where the NATS is."""
        assert self._nats is not None
        return self._nats.url

    @property
    def postgres_pid(self) -> int:
        """The process of the Postgres."""
        assert self._postgres is not None
        return self._postgres.pid

    @property
    def nats_pid(self) -> int:
        """The process of the NATS."""
        assert self._nats is not None
        return self._nats.pid

    @property
    def _servers(self) -> list[Server]:
        return [server for server in (self._postgres, self._nats, *self.witnesses) if server is not None]

    async def __aenter__(self) -> Self:
        """Start them at the same time.

        Raises:
            CannotStart: One does not come up, or another truecup uses the folder.
        """
        self._take_folder()
        try:
            await self._start()
        except BaseException:  # interrupted, too: nothing is left running
            await self._stop()
            raise
        self._watch = asyncio.create_task(self._keep_alive())
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _e: BaseException | None, _t: TracebackType | None
    ) -> None:
        """Stop them at the same time."""
        await self._stop()

    async def _start(self) -> None:
        started = await asyncio.gather(*(server.start() for server in self._servers), return_exceptions=True)
        for trouble in started:
            if trouble is not None:
                raise trouble

    def _take_folder(self) -> None:
        """Hold the folder for as long as we run; the system lets go of it when we end in any way."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = (self._folder / "lock").open("ab")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self._lock.close()
            raise CannotStart(
                f"another truecup is running on {self._folder}: stop it, or give this one another folder with --data"
            ) from error

    async def _keep_alive(self) -> None:
        async with asyncio.TaskGroup() as group:
            for server in self._servers:
                group.create_task(self._keep_one_alive(server))

    async def _keep_one_alive(self, server: Server) -> None:
        """Start a server again that has died, more slowly each time it dies at once; no other waits for it.

        What the system refuses, such as room for its settings on a full disk, it may grant at the next try.
        """
        delay = WATCH_S
        while True:
            await asyncio.sleep(delay)
            if server.alive:
                delay = WATCH_S
                continue
            delay = min(self._restart_max_s, delay * 2)
            log.warning("server.died", server=type(server).__name__)
            try:
                await server.start()
            except (CannotStart, OSError) as trouble:
                log.error("server.down", why=str(trouble))  # noqa: TRY400 - the sentence says all

    async def _stop(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
        await asyncio.gather(*(server.stop() for server in self._servers))
        if self._lock is not None:
            self._lock.close()
