"""The servers of a run: started when the first test asks for them, shared by all workers, stopped when the run ends.

The program that people start as pytest holds them, in a thread of its own, and listens on a socket that its workers are
told of. Who asks names what is wanted and the folder of the run's files; the answer is a JSON document, the same for
everybody. A run that asks for nothing starts nothing.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from shutil import rmtree
from typing import Any
from urllib.parse import urlsplit

import asyncpg

from infra.entropy import draw
from infra.store.migrate import migrate
from services.local.postgres import EmbeddedPostgres
from services.local.servers import LocalServers
from tests.cli.forking import forker

ROOT = Path(__file__).parent.parent
START_S = 300
STOP_S = 120
HOSTED_AT = "TESTS_HOSTED_AT"
"""Where the servers of the run can be asked for, in the environment of its processes."""
TEMPLATE = "migrated"
"""The database that the databases of tests are copies of."""
OLDEST = Path("/usr/lib/postgresql/15/bin")
"""Where Debian has the oldest Postgres that a house may run on."""


class Host:
    """Whoever holds the servers of a run.

    Attributes:
        address: The socket at which it can be asked.
    """

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="truecup-"))
        self.address = str(self._folder / "host")
        self._listening = threading.Event()
        self._over: Callable[[], object] = lambda: None
        self._made: dict[str, asyncio.Task[Any]] = {}
        self._trouble: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="host of the run's servers")
        self._thread.start()
        self._listening.wait(START_S)

    def end(self) -> None:
        """Stop whatever was started; a server that does not stop as it should is an error."""
        self._over()
        self._thread.join()
        rmtree(self._folder)
        if self._trouble is not None:
            raise self._trouble

    def _run(self) -> None:
        try:
            asyncio.run(self._hold())
        except BaseException as trouble:  # noqa: BLE001 - told where the run ends
            self._trouble = trouble

    async def _hold(self) -> None:
        loop, over = asyncio.get_running_loop(), asyncio.Event()
        self._over = lambda: loop.call_soon_threadsafe(over.set)
        async with AsyncExitStack() as self._held:
            server = await asyncio.start_unix_server(self._answer, self.address)
            self._listening.set()
            await over.wait()
            server.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one question, and start what it asks for if nobody has asked before."""
        name, folder = json.loads(await reader.readline())
        if name not in self._made:
            self._made[name] = asyncio.create_task(self._held.enter_async_context(KINDS[name](Path(folder))))
        try:
            told = {"made": await asyncio.shield(self._made[name])}
        except Exception as trouble:  # noqa: BLE001 - told to the test that asked
            told = {"trouble": f"{type(trouble).__name__}: {trouble}"}
        writer.write(json.dumps(told).encode())
        writer.close()


@contextmanager
def hosted() -> Iterator[None]:
    """Hold servers of a run that is no run of tests, for as long as it goes on."""
    host = Host()
    tell_of(host.address)
    try:
        yield
    finally:
        host.end()


def tell_of(address: str) -> None:
    """Tell this process, and all that it starts, where the servers of the run can be asked for."""
    os.environ[HOSTED_AT] = address
    # Whatever is asked is asked on loopback: each client would first read the authorities of the system, for 20 ms.
    os.environ.pop("SSL_CERT_FILE", None)
    os.environ["SSL_CERT_DIR"] = str(Path(address).parent)


def ask(address: str, name: str, folder: Path) -> Any:
    """Return where something is that the run shares, waiting until it has started.

    Raises:
        AssertionError: It does not start.
    """
    with socket.socket(socket.AF_UNIX) as asking:
        asking.settimeout(START_S)
        asking.connect(address)
        asking.sendall(json.dumps([name, str(folder)]).encode() + b"\n")
        told = json.loads(b"".join(iter(lambda: asking.recv(65_536), b"")))
    assert "made" in told, told
    return told["made"]


def address_of_forker() -> str | None:
    """Return where the run forks commands (`tests/cli/forking.py`), or None for a program that is no run of tests."""
    address = os.environ.get(HOSTED_AT)
    return None if address is None else ask(address, "forker", ROOT)["address"]


# ---- what there is ------------------------------------------------------------------------------


@asynccontextmanager
async def servers(folder: Path) -> AsyncIterator[dict[str, str]]:
    """A Postgres with an empty database and a migrated one to copy, and a NATS."""
    async with LocalServers(folder / "servers") as running:
        await hurry(running.database_url)
        await make_template(running.database_url)
        yield {"postgres": running.database_url, "nats": running.nats_url}


@asynccontextmanager
async def a_postgres(folder: Path, programs: Path | None, *, hurried: bool) -> AsyncIterator[dict[str, str]]:
    """The same of one Postgres, and no NATS."""
    running = EmbeddedPostgres(folder, programs)
    await running.start()
    try:
        if hurried:
            await hurry(running.url)
        await make_template(running.url)
        yield {"postgres": running.url}
    finally:
        await running.stop()


def oldest(folder: Path) -> AbstractAsyncContextManager[dict[str, str]]:
    """The oldest Postgres that a house may run on."""
    return a_postgres(folder / "oldest", OLDEST, hurried=True)


def sound(folder: Path) -> AbstractAsyncContextManager[dict[str, str]]:
    """A Postgres that waits for its disk, as that of a house does."""
    return a_postgres(folder / "sound", None, hurried=False)


async def hurry(url: str) -> None:
    """Let the server at this address wait for no disk any more.

    What is killed here is programs: whatever they have written the system has, also where no disk has it.
    """
    admin = await asyncpg.connect(url)
    for setting in ("fsync", "full_page_writes"):
        await admin.execute(f"alter system set {setting} = off")
    await admin.execute("select pg_reload_conf()")
    await admin.close()


async def make_template(url: str) -> None:
    """Make the database that others are copies of, on the server at this address."""
    admin = await asyncpg.connect(url)
    await admin.execute(f"create database {TEMPLATE}")
    await admin.close()
    await migrate(database_of(url, TEMPLATE))


@asynccontextmanager
async def a_database(url: str, template: str) -> AsyncIterator[str]:
    """A copy of a database on the server at this address, dropped in the end, whoever is still connected."""
    name = f"t{draw(8).hex()}"
    admin = await asyncpg.connect(url)
    try:
        await admin.execute(f"create database {name} template {template} strategy file_copy")
        yield database_of(url, name)
        await admin.execute(f"drop database {name} with (force)")
    finally:
        await admin.close()


def database_of(url: str, name: str) -> str:
    """Return the address of another database of the same server."""
    return urlsplit(url)._replace(path=f"/{name}").geturl()


@asynccontextmanager
async def service(folder: Path) -> AsyncIterator[dict[str, str]]:
    """The real program, as a person starts it, with bots that do not pretend to think."""
    data = folder / "service"
    data.mkdir()
    environment = {name: text for name, text in os.environ.items() if not name.startswith("TRUECUP_")}
    environment |= {"TRUECUP_BOT_PAUSE_MS": "0", "TRUECUP_LOG_LEVEL": "info", "TRUECUP_PROCESSES": "2"}
    environment |= {"TRUECUP_BOT_TABLES": "10000", "TRUECUP_BOT_TABLES_EACH": "10000", "TRUECUP_TABLES_EACH": "10000"}
    environment["TRUECUP_WEBHOOKS"] = "anywhere"  # tests listen on loopback
    argv = [sys.executable, "-m", "services.cli.main", "up", "--port", "0", "--no-demo", "--data", str(data)]
    with (data / "service.log").open("wb") as output:
        program = await asyncio.create_subprocess_exec(*argv, cwd=ROOT, env=environment, stdout=output, stderr=output)
    try:
        yield {"url": await told_address(program, data), "folder": str(data)}
    finally:
        if program.returncode is None:
            program.send_signal(signal.SIGINT)
        async with asyncio.timeout(STOP_S):
            assert await program.wait() == 0, "the program did not end well:\n" + (data / "service.log").read_text()


async def told_address(program: asyncio.subprocess.Process, data: Path) -> str:
    """Wait until a program says where it is."""
    async with asyncio.timeout(START_S):
        while not ((data / "url").exists() and (data / "url").read_text().endswith("\n")):
            assert program.returncode is None, "the program did not start:\n" + (data / "service.log").read_text()
            await asyncio.sleep(0.05)
    return (data / "url").read_text().strip()


KINDS: dict[str, Callable[[Path], AbstractAsyncContextManager[dict[str, str]]]] = {
    "servers": servers,
    "oldest": oldest,
    "sound": sound,
    "service": service,
    "forker": forker,
}
