"""Checks of the doctor: one function a check, each with what to do if it is not well."""

from __future__ import annotations

import os
import platform
import shutil
import socket
import stat
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, Literal, get_args

import asyncpg
from msgspec import Struct

from infra.clock import now_ms
from infra.config import Config, primaries_of
from infra.files.limit import raise_limit
from infra.store import Unavailable
from infra.store.logins import Login, connect, login_of
from infra.store.migrate import migrations
from infra.store.postgres import Role
from infra.store.primaries.places import SELF
from services.http.front.sockets import terms_within
from services.local import nats as local_nats
from services.local import postgres as local_postgres
from services.program.roles import rights_of, roles_of
from services.work.startup import CannotStart

CheckState = Literal["ok", "missing", "wrong"]
WAIT_S: Final = 3.0
DISK_MIN: Final = 1 << 30
"""A GiB: an installation takes 100 MB, and a match of six seats about 100 kB."""
DRIFT_MAX_MS: Final = 2_000
BORN_MS: Final = 1_780_000_000_000
"""June 2026: no clock that is right shows less."""
SOCKETS_MIN: Final = 1_000
"""Fewer are soon taken: a browser holds up to six."""
BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
LOST: Final = (OSError, TimeoutError, Unavailable, asyncpg.PostgresError, asyncpg.InterfaceError)
"""What a database that cannot be asked comes to."""
PYTHON_MIN: Final = (3, 11)
POSTGRES_MIN: Final = 150_000


class CheckFinding(Struct, frozen=True):
    """What a check found. Something `missing` is needed only by some; something `wrong` has to be mended."""

    name: str
    state: CheckState
    found: str
    to_do: str = ""


async def _python(_config: Config, _folder: Path) -> CheckFinding:
    found = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    if sys.version_info >= PYTHON_MIN:
        return CheckFinding("python", "ok", found)
    return CheckFinding("python", "wrong", found, "install Python 3.11 or newer")


async def _postgres_binaries(config: Config, _folder: Path) -> CheckFinding:
    return _binaries("postgres binaries", local_postgres.binaries, needed=config.database_url is None)


async def _nats_binary(config: Config, _folder: Path) -> CheckFinding:
    return _binaries("nats binary", local_nats.binary, needed=config.nats_url is None)


def _binaries(name: str, find: Callable[[], Path], *, needed: bool) -> CheckFinding:
    try:
        return CheckFinding(name, "ok", str(find()))
    except CannotStart as trouble:
        return CheckFinding(name, "wrong" if needed else "missing", "not there", str(trouble))


async def _database(config: Config, _folder: Path) -> CheckFinding:
    if config.database_url is None:
        return CheckFinding("database", "ok", "`truecup up` starts its own")
    try:
        connection = await connect(config.database_url, within_s=WAIT_S)
    except LOST as trouble:
        return CheckFinding(
            "database", "wrong", why(trouble), "see that TRUECUP_DATABASE_URL is right and Postgres runs"
        )
    try:
        version = int(await connection.fetchval("show server_version_num"))
        found = f"Postgres {await connection.fetchval('show server_version')}"
    finally:
        await connection.close()
    if version < POSTGRES_MIN:
        return CheckFinding("database", "wrong", found, "use Postgres 15 or newer")
    return CheckFinding("database", "ok", found)


async def _migrations(config: Config, _folder: Path) -> CheckFinding:
    if config.database_url is None:
        return CheckFinding("schema", "ok", "`truecup up` keeps its own newest")
    try:
        connection = await connect(config.database_url, within_s=WAIT_S)
    except LOST:
        return CheckFinding("schema", "wrong", "the database does not answer", "mend the database first")
    try:
        known = {row["version"] for row in await connection.fetch("select version from schema_migrations")}
    except asyncpg.UndefinedTableError:
        known = set()
    finally:
        await connection.close()
    missing = [version for version, _ in migrations() if version not in known]
    if missing:
        return CheckFinding("schema", "wrong", f"{', '.join(missing)} not applied", "run `truecup migrate`")
    return CheckFinding("schema", "ok", "the newest")


async def _primaries(config: Config, _folder: Path) -> CheckFinding:
    """Look whether each further primary answers, is the one it is called, and is as new as the home."""
    others = primaries_of(config.shards)
    for name, address in others.items():
        trouble = await _primary_trouble(name, address)
        if trouble is not None:
            return CheckFinding("primaries", "wrong", f"{name}: {trouble[0]}", trouble[1])
    return CheckFinding("primaries", "ok", f"home, {', '.join(others)}" if others else "one database has all shards")


async def _primary_trouble(name: str, address: str) -> tuple[str, str] | None:
    """Return what is wrong with a primary, and what to do; None if nothing is."""
    try:
        connection = await connect(address, within_s=WAIT_S)
    except LOST as trouble:
        return why(trouble), f"see that its address in TRUECUP_SHARDS is right and Postgres runs; shards of {name} wait"
    try:
        known = {row["version"] for row in await connection.fetch("select version from schema_migrations")}
        told = await connection.fetchrow(SELF)
    except asyncpg.UndefinedTableError:
        known, told = set(), None
    finally:
        await connection.close()
    if told is None or any(version not in known for version, _ in migrations()):
        return "it has not joined, or not the newest schema", "run `truecup migrate`"
    if told["name"] != name:
        return f"it is the primary {told['name']}", "see that TRUECUP_SHARDS names each by its own address"
    return None


async def _login(config: Config, _folder: Path) -> CheckFinding:
    """Look how far the login reaches: a process that is not the dealer should not be able to become one."""
    if config.database_url is None:
        return CheckFinding("login", "ok", "`truecup up` makes its own")
    try:
        connection = await connect(config.database_url, within_s=WAIT_S)
    except LOST:
        return CheckFinding("login", "wrong", "the database does not answer", "mend the database first")
    try:
        login = await login_of(connection, get_args(Role))
    finally:
        await connection.close()
    return login_words(login, rights_of(roles_of(config)))


def login_words(login: Login, needed: Role) -> CheckFinding:
    """Return what is to be said of this login, for a process that needs this role."""
    more = sorted(login.roles - {needed})
    found = f"{login.name}, which may be {', '.join(sorted(login.roles)) or 'none of the roles'}"
    if login.missing:
        return CheckFinding(
            "login", "wrong", f"the server has no {', '.join(sorted(login.missing))}", "run `truecup migrate`"
        )
    if needed not in login.roles:
        return CheckFinding("login", "wrong", found, f"grant {needed} to {login.name}")
    to_do = f"give this process a login of its own: create role ... login password '...' in role {needed}"
    if login.commands_all:
        found = f"{login.name}, to which nothing is forbidden"
    elif not more:
        return CheckFinding("login", "ok", found)
    # Who has the vault's key may see every die as it is; for others, the login is what keeps the dice from them.
    return CheckFinding("login", "missing" if needed == "truecup_dealer" else "wrong", found, to_do)


async def _files(_config: Config, _folder: Path) -> CheckFinding:
    """Count with the limit that the program sets itself, and say how many connections have room within it."""
    files = raise_limit()
    sockets = terms_within(files).sockets_max
    found = f"{files} files may be open: {sockets} connections"
    if sockets < SOCKETS_MIN:
        to_do = "for a house that many visit, raise the hard limit (`ulimit -Hn`, LimitNOFILE= of systemd)"
        return CheckFinding("open files", "missing", found, to_do)
    return CheckFinding("open files", "ok", found)


async def _browser(_config: Config, _folder: Path) -> CheckFinding:
    found = next((path for path in map(shutil.which, BROWSERS) if path), None)
    if found is None:
        return CheckFinding(
            "browser", "missing", "none", "only the tests need one: install Chrome or Chromium to run them"
        )
    return CheckFinding("browser", "ok", found)


async def _disk(_config: Config, folder: Path) -> CheckFinding:
    there = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(there).free
    found = f"{free >> 20} MiB free for {folder}"
    if not os.access(there, os.W_OK):
        return CheckFinding("disk", "wrong", f"{there} cannot be written", "choose another folder with TRUECUP_DATA")
    if free < DISK_MIN:
        return CheckFinding("disk", "wrong", found, "make room, or choose another folder with TRUECUP_DATA")
    return CheckFinding("disk", "ok", found)


async def _clock(config: Config, _folder: Path) -> CheckFinding:
    """Compare with the database's clock if it is another machine's; else see that the clock is not of another age."""
    drift = None if config.database_url is None else await _drift_ms(config.database_url)
    if now_ms() < BORN_MS:
        return CheckFinding("clock", "wrong", "it shows a time before this program was written", "set the clock")
    if drift is not None and abs(drift) > DRIFT_MAX_MS:
        return CheckFinding("clock", "wrong", f"{drift} ms from the database's", "synchronise both clocks")
    return CheckFinding("clock", "ok", "plausible" if drift is None else f"{drift} ms from the database's")


async def _drift_ms(url: str) -> int | None:
    try:
        connection = await connect(url, within_s=WAIT_S)
        theirs = int(await connection.fetchval("select (extract(epoch from clock_timestamp()) * 1000)::bigint"))
        await connection.close()
    except LOST:
        return None
    return now_ms() - theirs


async def _key(config: Config, folder: Path) -> CheckFinding:
    path = folder / "key"
    if config.key is not None:
        return CheckFinding("key", "ok", "from TRUECUP_KEY")
    if not path.exists():
        return CheckFinding("key", "ok", "made at the first start")
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        return CheckFinding("key", "wrong", f"{path} can be read by others", f"chmod 600 {path}")
    return CheckFinding("key", "ok", f"{path}, yours alone")


async def _port(config: Config, _folder: Path) -> CheckFinding:
    place = f"{config.host}:{config.port}"
    try:
        with socket.create_server((config.host, config.port)):
            return CheckFinding("port", "ok", f"{place} is free")
    except OSError as trouble:
        to_do = "if it is not your own Truecup that runs there, choose another with TRUECUP_PORT or --port"
        return CheckFinding("port", "missing", f"{place}: {trouble.strerror}", to_do)


def why(trouble: Exception) -> str:
    """Return what went wrong, on one line."""
    return " ".join(str(trouble).split()) or type(trouble).__name__


Checks = tuple[Callable[[Config, Path], Awaitable[CheckFinding]], ...]
OF_SERVERS: Final[Checks] = (_python, _postgres_binaries, _nats_binary, _database, _migrations, _primaries, _login)
OF_MACHINE: Final[Checks] = (_files, _browser, _disk, _clock, _key, _port)
"""In the order in which what they find is best mended; that of the bus comes between them."""
