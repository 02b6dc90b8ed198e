"""Large fields are paired by a process of its own: the same as here, at the version it was worked out from."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from domain.commands import Chance
from domain.errors import Refused
from domain.log import canonical
from domain.tournaments import commands
from domain.tournaments.deciding.decide import decide
from domain.tournaments.events import RULE
from domain.tournaments.record import stream_of
from domain.tournaments.tournament import Tournament
from infra.sealing import Sealing
from infra.store import Unavailable
from services.cli.bench.event.madeup import MadeUp
from services.local.child import die_with_parent
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault
from services.tournaments.handler import TournamentHandler
from services.tournaments.ways.due import VERY_LARGE, DueDecisions, DueGiven
from services.work.settling import TakesTooLong, within
from services.work.worker import Worker, WorkerLost
from tests.director.house import EventHouse

PAIR = commands.Proceed(by=RULE, chance=Chance(b"", {}))


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    found = Worker(die_with_parent)
    yield found
    found.close()


@pytest.fixture(scope="module")
def before() -> MadeUp:
    """Return a tournament whose first round is about to be paired."""
    event = MadeUp(VERY_LARGE, 2)
    event.before_round(1)
    return event


def given(event: MadeUp) -> DueGiven:
    return DueGiven(event.tournament, PAIR, event.tournament.at + 1, "ab" * 32, event.keeper)


async def test_a_worker_pairs_as_this_process_does(worker: Worker, before: MadeUp) -> None:
    asked = given(before)
    here = decide(asked.tournament, PAIR, asked.at, asked.head, asked.keeper)
    there = await DueDecisions(worker).decide(asked.tournament, PAIR, asked.at, asked.head, asked.keeper)
    assert there.events == here.events
    assert there.tournament == here.tournament
    assert any(type(event).__name__ == "TablesPaired" for event in there.events)
    assert await DueDecisions(None).decide(asked.tournament, PAIR, asked.at, asked.head, asked.keeper) == here


async def test_a_refusal_comes_back_from_a_worker_with_its_facts(worker: Worker, before: MadeUp) -> None:
    paused: Tournament = replace(before.tournament, paused=True)
    with pytest.raises(Refused) as refused:
        await DueDecisions(worker).decide(paused, PAIR, paused.at + 1, "ab" * 32, before.keeper)
    assert (refused.value.code, refused.value.facts) == ("paused", {})


def inherited(_given: None) -> tuple[bytes, list[str]]:
    """Return the environment that this process was started with, and what its open files are."""
    folder = Path("/proc/self/fd")
    return Path("/proc/self/environ").read_bytes(), [
        str(one.readlink()) for one in folder.iterdir() if one.is_symlink()
    ]


async def test_a_worker_inherits_no_secret_and_no_socket(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    planted = tmp_path / "kept"
    monkeypatch.setenv("TRUECUP_KEY_FILE", "a-secret-in-the-environment")
    monkeypatch.setenv("PGPASSWORD", "another-secret")
    worker = Worker(die_with_parent)
    with planted.open("wb") as file, socket.create_server(("127.0.0.1", 0)) as listening:
        before = dict(os.environ)
        try:
            environment, files = await worker.do(inherited, None)
        finally:
            worker.close()
        inode = os.fstat(listening.fileno()).st_ino
        assert file.fileno() > 0
    assert b"secret" not in environment
    assert b"PATH=" in environment
    assert os.environ == before
    assert f"socket:[{inode}]" not in files
    assert str(planted) not in files
    assert not [one for one in files if one.startswith("socket:")]


def begun_with(_given: None) -> bool:
    """Report whether this process has loaded what the one that started it began with."""
    return hasattr(sys.modules["__main__"], EventHouse.__name__)


async def test_a_worker_does_not_load_what_the_program_began_with(monkeypatch: pytest.MonkeyPatch) -> None:
    command = sys.modules[EventHouse.__module__]
    monkeypatch.setitem(sys.modules, "__main__", command)
    worker = Worker(die_with_parent)
    try:
        assert not await worker.do(begun_with, None)
    finally:
        worker.close()
    assert sys.modules["__main__"] is command


async def test_a_worker_that_is_ended_is_told_of_and_another_one_started(worker: Worker) -> None:
    pid = await worker.do(_process, None)
    assert pid != os.getpid()
    dying = asyncio.create_task(worker.do(_wait, 60.0))
    await asyncio.sleep(0.1)
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(WorkerLost):
        await dying
    assert await worker.do(_process, None) != pid


async def test_a_worker_that_ended_with_nothing_to_do_is_told_of_and_another_one_started(worker: Worker) -> None:
    pid = await worker.do(_process, None)
    os.kill(pid, signal.SIGKILL)
    await asyncio.sleep(0.3)
    with pytest.raises(Unavailable):
        await worker.do(_process, None)
    assert await worker.do(_process, None) != pid


async def test_a_worker_without_room_is_given_up_and_those_who_wait_for_it_are_answered(
    worker: Worker, tmp_path: Path
) -> None:
    pid, go = await worker.do(_process, None), tmp_path / "go"
    asked = [worker.do(_wait_for, go), worker.do(_fill, 8), worker.do(_process, None), worker.do(_process, None)]
    asking = asyncio.gather(*asked, return_exceptions=True)
    await asyncio.sleep(0)
    go.touch()  # all are in line
    before, trouble, *behind = await asking
    assert isinstance(trouble, MemoryError)
    assert [before, *behind] == [pid] * 3
    assert await worker.do(_process, None) != pid


async def test_what_a_worker_was_given_that_cannot_be_started_is_never_done(tmp_path: Path) -> None:
    worker, marked = Worker(die_with_parent), tmp_path / "done"
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    os.close(next_file := os.dup(0))
    try:
        for files in range(next_file, next_file + 10):  # from no line to it to all but a process
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
            with pytest.raises(WorkerLost):
                await worker.do(Path.touch, marked)
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert await worker.do(_process, None) != os.getpid()
        assert not marked.exists()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        worker.close()


def test_what_takes_too_long_ends_also_where_it_is_told_so_in_a_finalizer(monkeypatch: pytest.MonkeyPatch) -> None:
    lost: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda told: lost.append(told.exc_type))

    class Thrown:
        def __del__(self) -> None:
            burn(0.15)

    def burn(cpu_s: float) -> None:
        until = time.process_time() + cpu_s
        while time.process_time() < until:
            pass

    def work() -> None:
        Thrown()
        burn(20)

    with pytest.raises(TakesTooLong), within(0.05):
        work()
    assert lost[:1] == [TakesTooLong]
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)


def _fill(number: int) -> None:
    raise MemoryError(number)


def _process(_given: None) -> int:
    return os.getpid()


def _wait(seconds: float) -> None:
    signal.sigtimedwait([], seconds)


def _wait_for(go: Path) -> int:
    while not go.exists():
        time.sleep(0.005)
    return os.getpid()


class Overtaken(Worker):
    """A worker during whose first work somebody else is quicker."""

    def __init__(self, house: EventHouse) -> None:
        super().__init__()
        self._house = house
        self.done = 0

    async def do(self, work: Callable[[Any], Any], given: Any) -> Any:
        self.done += 1
        if self.done == 1:
            await self._house.do(commands.Forbid(by=self._house.host, numbers=(1, 2), reason="request"))
        return work(given)


async def test_what_was_worked_out_from_a_version_that_has_passed_is_thrown_away(house: EventHouse) -> None:
    worker = Overtaken(house)
    slow = TournamentHandler(house.store, Vault(house.store, Sealing(bytes(32))), TokenIssuer(bytes(32)), worker=worker)
    await house.announce(entry={"min": 2, "max": VERY_LARGE, "bots": "only"})
    await house.enter_bots(VERY_LARGE)
    await house.check_in()
    before = (await house.tournament()).version
    await slow.proceed(house.id, house.host, house.ask())
    assert worker.done == 2
    kinds = [canonical.decode(line)["type"] for line in (await house.store.read(stream_of(house.id)))[before:]]
    assert kinds[0] == "pair.forbidden"
    assert kinds.count("deal.committed") == 1
