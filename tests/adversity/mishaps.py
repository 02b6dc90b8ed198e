"""Mishaps of the parts of a house and of the lines between them: their names, and what does and undoes each."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from shutil import rmtree
from typing import Final

import asyncpg
from msgspec import Struct

from services.local.postgres import CONNECTIONS_MAX
from tests.adversity.house import BUS, SERVERS, Besieged
from tests.adversity.proxy import Proxy
from tests.crash.killing import kill_bus, kill_database, until_up
from tests.hanging import hung

Strike = Callable[[Besieged, random.Random], AbstractAsyncContextManager[None]]
HOUR_MS: Final = 3_600_000
LINES: Final = ("database", "bus", "people")
BACKENDS: Final = """select pid from pg_stat_activity
 where backend_type = 'client backend' and pid <> pg_backend_pid() order by pid"""
TABLES: Final = "lock table event in access exclusive mode"
"""Whatever reads or writes a match waits for this, and keeps its connection; one lock alone cannot be a deadlock."""
BALLAST: Final = "ballast"
BLOCK: Final = 1 << 16


class Mishap(Struct, frozen=True):
    """Something that goes wrong and is put right again.

    Attributes:
        about: What happens, in words.
        strike: Does it, and undoes it where the context ends.
        lasts_ms: How long it lasts, at least and at most.
        leaps: Whether the house has to be on a clock that can be set.
        small: Whether its servers have to be on a disk of their own.
    """

    about: str
    strike: Strike
    lasts_ms: tuple[int, int] = (5, 120)
    leaps: bool = False
    small: bool = False


# ---- the servers --------------------------------------------------------------------------------


@asynccontextmanager
async def _postmaster(house: Besieged, _chance: random.Random) -> AsyncIterator[None]:
    await kill_database(house.servers)
    yield


@asynccontextmanager
async def _backend(house: Besieged, chance: random.Random) -> AsyncIterator[None]:
    async with _admin(house) as admin:
        found = [row["pid"] for row in await admin.fetch(BACKENDS)]
        if found:
            await admin.execute("select pg_terminate_backend($1)", chance.choice(found))
    yield


@asynccontextmanager
async def _bus(house: Besieged, _chance: random.Random) -> AsyncIterator[None]:
    await kill_bus(house.servers)
    yield


@asynccontextmanager
async def _wiped(house: Besieged, _chance: random.Random) -> AsyncIterator[None]:
    await kill_bus(house.servers)
    rmtree(house.folder / SERVERS / BUS / "jetstream", ignore_errors=True)
    yield


@asynccontextmanager
async def _both(house: Besieged, chance: random.Random) -> AsyncIterator[None]:
    async with _postmaster(house, chance), _bus(house, chance):
        yield


@asynccontextmanager
async def _everything(house: Besieged, chance: random.Random) -> AsyncIterator[None]:
    house.service.kill()
    async with _both(house, chance):
        await until_up(house.servers)
        await asyncio.to_thread(house.restart)
        yield


@asynccontextmanager
async def _service(house: Besieged, _chance: random.Random) -> AsyncIterator[None]:
    await asyncio.to_thread(house.restart)
    yield


@asynccontextmanager
async def _hung_database(house: Besieged, _chance: random.Random) -> AsyncIterator[None]:
    with hung(house.servers.postgres_pid):
        yield


@asynccontextmanager
async def _hung_bus(house: Besieged, _chance: random.Random) -> AsyncIterator[None]:
    with hung(house.servers.nats_pid):
        yield


# ---- the lines ----------------------------------------------------------------------------------


@asynccontextmanager
async def _cut(line: str, house: Besieged, _chance: random.Random) -> AsyncIterator[None]:
    proxy = house.lines[line]
    proxy.cut()
    proxy.refuses = True
    try:
        yield
    finally:
        proxy.refuses = False


@asynccontextmanager
async def _closed(line: str, house: Besieged, _chance: random.Random) -> AsyncIterator[None]:
    house.lines[line].close_all()
    yield


@asynccontextmanager
async def _slow(line: str, house: Besieged, chance: random.Random) -> AsyncIterator[None]:
    proxy = house.lines[line]
    for lane in (proxy.asks, proxy.answers):
        lane.delay_s, lane.bytes_s = chance.uniform(0.001, 0.03), chance.uniform(50_000, 500_000)
    try:
        yield
    finally:
        proxy.open()


@asynccontextmanager
async def _held(line: str, way: str, house: Besieged, chance: random.Random) -> AsyncIterator[None]:
    """Hold one way, or both; in the end what was held comes late, or is lost with its connection."""
    proxy: Proxy = house.lines[line]
    lanes = {"asked": [proxy.asks], "answered": [proxy.answers], "both": [proxy.asks, proxy.answers]}[way]
    for lane in lanes:
        lane.shut()
    try:
        yield
    finally:
        (proxy.open if chance.random() < 0.5 else proxy.break_off)()


@asynccontextmanager
async def _half_open(line: str, house: Besieged, _chance: random.Random) -> AsyncIterator[None]:
    house.lines[line].cut_off()
    try:
        yield
    finally:
        house.lines[line].break_off()


@asynccontextmanager
async def _stalled(house: Besieged, chance: random.Random) -> AsyncIterator[None]:
    """Let the database commit what is sent, and keep its answers; they come late, or never."""
    house.appends.watch()
    async with asyncio.timeout(60):
        await house.database.reached.wait()
    try:
        yield
    finally:
        house.database.reached.clear()
        (house.database.open if chance.random() < 0.5 else house.database.break_off)()


# ---- room, connections, clocks ------------------------------------------------------------------


@asynccontextmanager
async def _admin(house: Besieged) -> AsyncIterator[asyncpg.Connection]:
    """Return a connection that goes through no proxy."""
    admin = await asyncpg.connect(house.servers.database_url)
    try:
        yield admin
    finally:
        await admin.close()


@asynccontextmanager
async def _busy(house: Besieged, _chance: random.Random) -> AsyncIterator[None]:
    async with _admin(house) as admin, admin.transaction():
        await admin.execute(TABLES)
        yield


@asynccontextmanager
async def _read_only(house: Besieged, _chance: random.Random) -> AsyncIterator[None]:
    """Let the database take no write, as those do that somebody else looks after and whose disk is nearly full."""
    async with _admin(house) as admin:
        await admin.execute("alter system set default_transaction_read_only = on")
        await admin.execute("select pg_reload_conf()")
        try:
            yield
        finally:
            await admin.execute("alter system reset default_transaction_read_only")
            await admin.execute("select pg_reload_conf()")


@asynccontextmanager
async def _used_up(house: Besieged, _chance: random.Random) -> AsyncIterator[None]:
    """Take every connection there is, those of the house as well: it has to ask for new ones, and gets none."""
    async with AsyncExitStack() as taken:
        with suppress(asyncpg.TooManyConnectionsError):
            for _ in range(CONNECTIONS_MAX):
                connection = await asyncpg.connect(house.servers.database_url)
                taken.push_async_callback(connection.close)
        house.database.cut()
        yield


@asynccontextmanager
async def _full(house: Besieged, _chance: random.Random) -> AsyncIterator[None]:
    """Leave no block on the disk of the servers."""
    ballast = house.folder / SERVERS / BALLAST
    try:
        with ballast.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(BLOCK))
        yield
    finally:
        ballast.unlink()


@asynccontextmanager
async def _full_and_killed(house: Besieged, chance: random.Random) -> AsyncIterator[None]:
    """Kill the bus where it cannot write what it is to start with."""
    async with _full(house, chance):
        await kill_bus(house.servers)
        yield


@asynccontextmanager
async def _leap(house: Besieged, chance: random.Random) -> AsyncIterator[None]:
    house.set_ahead(chance.randint(-HOUR_MS, HOUR_MS))
    yield


def _on(strike: Callable[..., AbstractAsyncContextManager[None]], *about: str) -> Strike:
    return partial(strike, *about)


MISHAPS: Final[dict[str, Mishap]] = {
    "postmaster": Mishap("the database is killed, and started again", _postmaster),
    "backend": Mishap("one connection's process in the database is ended", _backend),
    "nats": Mishap("the bus is killed, and started again", _bus),
    "nats-wiped": Mishap("the bus is killed, and starts again with nothing", _wiped),
    "both": Mishap("database and bus are killed at once", _both),
    "service": Mishap("the program is killed, and started again", _service),
    "all": Mishap("program, database and bus are killed at once", _everything),
    "postgres-stopped": Mishap("the database takes no step for a while", _hung_database),
    "nats-stopped": Mishap("the bus takes no step for a while", _hung_bus),
    **{f"{line}-cut": Mishap(f"every line to the {line} is cut, and new ones are refused", _on(_cut, line))
       for line in LINES},
    **{f"{line}-closed": Mishap(f"every line to the {line} is ended in good order", _on(_closed, line))
       for line in LINES},
    **{f"{line}-slow": Mishap(f"every line to the {line} is slow", _on(_slow, line)) for line in LINES},
    **{f"{line}-{way}-held": Mishap(f"what is {way} on lines to the {line} does not arrive", _on(_held, line, way))
       for line in LINES for way in ("asked", "answered")},
    **{f"{line}-held": Mishap(f"nothing arrives on lines to the {line}", _on(_held, line, "both")) for line in LINES},
    **{f"{line}-half-open": Mishap(f"lines to the {line} are gone at one end, untold", _on(_half_open, line))
       for line in LINES},
    "stalled-after-commit": Mishap("the database commits, and its answer is kept", _stalled),
    "pool": Mishap("every connection of the program waits for a lock", _busy),
    "connections": Mishap("the database has no connection left", _used_up),
    "read-only": Mishap("the database is set to take no write", _read_only, (50, 1_000)),
    "disk-full": Mishap("the disk of the servers is full", _full, (200, 1_500), small=True),
    "disk-full-nats": Mishap(
        "the disk is full, and the bus is killed", _full_and_killed, (200, 1_500), small=True),
    "clock": Mishap("the clock of the program steps by an hour at most", _leap, leaps=True),
}  # fmt: skip
