"""A data folder that is lost with its disk, made again from a base backup and a write-ahead log kept elsewhere.

These are the steps of .docs/when-parts-die.md: whoever answers waits until the log is on the second disk as well, so
what was acknowledged is there whatever becomes of the first.
"""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import asyncpg
import pytest
import pytest_asyncio

from infra.store.migrate import migrate
from services.local.ordinary import ordinary
from services.local.postgres import EmbeddedPostgres, binaries, state_of
from tests.backups.rehearsal import RULES, Rehearsal, finish_and_export, played_for, rehearsing
from tests.crash.house import Table
from tests.crash.test_killed import assert_kept

PATIENCE_S = 120
KEEPER = "walkeeper"
SETTINGS = """restore_command = 'cp "{wal}/%f" "%p" || cp "{wal}/%f.partial" "%p"'
synchronous_standby_names = ''
recovery_target_action = 'promote'
{target}"""


@pytest_asyncio.fixture
async def rehearsal(tmp_path: Path) -> AsyncIterator[Rehearsal]:
    async with rehearsing(tmp_path) as made:
        yield made


async def ask(url: str, *statements: str) -> str:
    """Return what the last of these statements answers."""
    connection = await asyncpg.connect(url)
    try:
        return str([await connection.fetchval(statement) for statement in statements][-1])
    finally:
        await connection.close()


@contextmanager
def keeping(server: Path, wal: Path) -> Iterator[None]:
    """Receive the write-ahead log of a server into a folder, each part of it on disk before it is acknowledged."""
    wal.mkdir()
    place = f"host={socket_of(server)} user=truecup dbname=postgres application_name={KEEPER}"
    argv = [str(binaries() / "pg_receivewal"), "--directory", str(wal), "--synchronous", "--dbname", place]
    with subprocess.Popen(argv, stderr=subprocess.DEVNULL) as keeper:
        try:
            yield
        finally:
            keeper.kill()


def socket_of(server: Path) -> Path:
    state = state_of(server / "data")
    assert state is not None
    return state.socket


async def kept_from_now_on(server: EmbeddedPostgres) -> None:
    """Let commits wait for whoever keeps the log, as soon as somebody does."""
    deadline = monotonic() + PATIENCE_S
    while await ask(server.url, f"select count(*) from pg_stat_replication where application_name = '{KEEPER}'") == "0":
        assert monotonic() < deadline
        await asyncio.sleep(0.05)
    await ask(server.url, f"alter system set synchronous_standby_names = '{KEEPER}'", "select pg_reload_conf()")


def copy_base(server: Path, base: Path) -> None:
    """Take a base backup of a server that runs; its log is kept already."""
    place = ["--host", str(socket_of(server)), "--username", "truecup"]
    how = ["--pgdata", str(base), "--wal-method", "none", "--checkpoint", "fast"]
    subprocess.run([str(binaries() / "pg_basebackup"), *place, *how], check=True, stderr=subprocess.DEVNULL)


def made_again(base: Path, wal: Path, folder: Path, target: str = "") -> EmbeddedPostgres:
    """Return a server on a copy of the base backup, which goes through the log up to its end, or to a target."""
    data = folder / "data"
    folder.mkdir()
    shutil.copytree(base, data)
    data.chmod(0o700)
    (data / "recovery.signal").touch()
    with (data / "postgresql.auto.conf").open("a", encoding="utf-8") as file:
        file.write(SETTINGS.format(wal=wal, target=target))
    way = ordinary(binaries() / "postgres")
    way.own(data)
    way.own(wal)
    return EmbeddedPostgres(folder)


@pytest.mark.long
async def test_nothing_that_was_acknowledged_is_lost_with_the_disk_and_an_earlier_point_is_found(
    rehearsal: Rehearsal, tmp_path: Path
) -> None:
    wal, base, lost = tmp_path / "wal", tmp_path / "base", EmbeddedPostgres(tmp_path / "lost")
    await lost.start()
    with keeping(tmp_path / "lost", wal):
        await kept_from_now_on(lost)
        await migrate(lost.url)
        await asyncio.to_thread(copy_base, tmp_path / "lost", base)
        service = await rehearsal.start(lost.url)
        first = await asyncio.to_thread(Table, service, RULES)
        exported = await asyncio.to_thread(finish_and_export, first)
        point = await ask(lost.url, "select pg_current_wal_lsn()::text")
        second = await asyncio.to_thread(Table, service, {**RULES, "options": {"dice_per_player": 2}}, 2)
        await asyncio.to_thread(played_for, second, 4)
        service.kill()
        await lost.stop()
    shutil.rmtree(tmp_path / "lost")

    earlier = made_again(base, wal, tmp_path / "earlier", f"recovery_target_lsn = '{point}'\n")
    await earlier.start()
    code, told = await asyncio.to_thread(rehearsal.run, earlier.url, "verify")
    assert (code, told["state"], told["faults"]) == (1, "older", [])
    await earlier.stop()

    again = made_again(base, wal, tmp_path / "again")
    await again.start()
    code, told = await asyncio.to_thread(rehearsal.run, again.url, "verify")
    assert (code, told["state"], told["faults"]) == (0, "newest", [])
    restored = await rehearsal.start(again.url)
    for table in (first, second):
        table.service = restored
        await asyncio.to_thread(table.finish)
        await asyncio.to_thread(assert_kept, table)
    assert await asyncio.to_thread(finish_and_export, first) == exported
    await asyncio.to_thread(restored.stop)
    await again.stop()
