"""`truecup move-shard` killed as operators and machines do it, and begun again."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from itertools import product
from pathlib import Path

import pytest

from infra.config import primaries_of
from infra.store.postgres import PostgresStore
from infra.store.primaries.moving import Step
from infra.store.primaries.naming import join_primaries
from infra.store.primaries.opening import open_house
from services.cli.operating.moving import STEPS
from services.local.postgres import EmbeddedPostgres
from services.work.startup import CannotStart
from tests.store.moving import SHARD, check, writing
from tests.store.test_primaries import run

BOUND_S = 60
LATEST: Step = "told"
"""The last step at which a move is still under way once it has been said."""
APART_S = 0.003
"""How much later after its step each kill comes than the one before."""
ROOT = Path(__file__).parents[2]


@asynccontextmanager
async def mover(database: str, second: str, *arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run `truecup move-shard` in a program of its own."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("TRUECUP_")}
    given = kept | {"TRUECUP_DATABASE_URL": database, "TRUECUP_SHARDS": second}
    argv = [sys.executable, "-m", "services.cli.main", "move-shard", str(SHARD), *arguments]
    program = await asyncio.create_subprocess_exec(*argv, cwd=ROOT, env=given, stdout=-1, stderr=-2)
    try:
        yield program
    finally:
        if program.returncode is None:
            program.kill()
        await program.wait()


async def come_to(step: Step, program: asyncio.subprocess.Process) -> None:
    """Wait until a move says that it is at a step."""
    assert program.stdout is not None
    while STEPS[step].encode() not in (said := await program.stdout.readline()):
        assert said, "it ends before"


async def kill_at(step: Step, database: str, second: str) -> None:
    """Begin a move, and kill it when it says this."""
    async with mover(database, second, "second") as program:
        await come_to(step, program)
        program.send_signal(signal.SIGKILL)


async def finish(database: str, second: str, *arguments: str) -> str:
    async with mover(database, second, *arguments) as program:
        said, _ = await program.communicate()
        assert program.returncode == 0, said.decode()
        return said.decode()


async def started(server: EmbeddedPostgres) -> None:
    """Start a server whose processes were killed: it does not start before the last of them is gone."""
    async with asyncio.timeout(BOUND_S):
        while not server.alive:
            with suppress(CannotStart):
                await server.start()


async def test_a_move_is_killed_twice_taken_back_and_made_from_a_terminal(
    database: str, second: str, two: PostgresStore
) -> None:
    async with writing(two, tables=2) as writers:
        await kill_at("holding", database, second)
        assert "stays where it is" in await finish(database, second, "--abort")
        await kill_at("copying", database, second)
        told = await finish(database, second, "second")
        assert "moved from home to second" in told
    await check(two, writers)
    assert "lives at second" in await finish(database, second, "second")
    assert "lines at home" in await finish(database, second, "--drop")
    assert "nothing is left" in await finish(database, second, "--drop")
    await check(two, writers)


@pytest.mark.long
async def test_servers_and_movers_are_killed_and_nothing_is_lost(tmp_path: Path) -> None:
    servers = [EmbeddedPostgres(tmp_path / name) for name in "ab"]
    async with AsyncExitStack() as stack:
        for server in servers:
            await server.start()
            stack.push_async_callback(server.stop)
        home, second = servers[0].url, f"second {servers[1].url}"
        await join_primaries(home, primaries_of(second))
        two = await open_house(home, second, "truecup_dealer")
        stack.push_async_callback(two.close)
        steps = tuple(STEPS)
        for number, (step, victim) in enumerate(product(steps[: steps.index(LATEST) + 1], (0, 1, None))):
            there = ("second", "home")[number % 2]
            async with writing(two) as writers:
                async with mover(home, second, there) as program:
                    await come_to(step, program)
                    await asyncio.sleep(APART_S * number)
                    if victim is None:
                        program.kill()
                    else:
                        # With all its processes: those that are left would keep the next from starting.
                        os.killpg(servers[victim].pid, signal.SIGKILL)
                        await servers[victim].stop()
                        await started(servers[victim])
                await finish(home, second, there)
            await check(two, writers)
            assert await run(home, "select count(*) from pg_trigger where tgname = 'shard_changes'") == [(0,)]
