"""The desk of analyses: each is made once, whatever happens to the process that makes it, and is the command's own."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from infra.store import Unavailable
from services.analysis import desk as desks
from services.analysis.desk import (
    EACH_BYTES_MIN,
    EACH_MAX,
    IN_MEMORY_MAX,
    TOO_MUCH,
    WAITING_BYTES_MAX,
    WAITING_MAX,
    AnalysisDesk,
    AskedTooMuch,
    DeskFull,
    Failed,
    Job,
    Underway,
)
from services.analysis.jobs import make_analysis, name_of
from services.audit.verdict import NOTHING_BESIDE
from services.cli.analysing.analyse import analyse
from services.local.child import die_with_parent
from services.work.settling import MEMORY_BYTES, NICE, settle
from services.work.worker import Worker

RECORDS = Path(__file__).parent / "vectors" / "records"
SMALL = RECORDS / "one-die-each.cup"
HERE = "192.0.2.1"


def job(name: str = "a", record: bytes = b"", samples: int = 64, **more: Any) -> Job:
    return Job(name, record, NOTHING_BESIDE, samples, **more)


def names_in(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


class Bench:
    """A workplace in this process: what is done waits until it is let."""

    def __init__(self, *, let: bool = True) -> None:
        self.done: list[str] = []
        self.trouble: list[Exception] = []
        self.let = asyncio.Event()
        if let:
            self.let.set()

    async def do(self, work: Callable[[Job], bytes | Failed], given: Job) -> bytes | Failed:
        self.done.append(given.name)
        await self.let.wait()
        if self.trouble:
            raise self.trouble.pop(0)
        return work(given)


def echo(given: Job) -> bytes:
    return given.name.encode()


@asynccontextmanager
async def running(desk: AnalysisDesk) -> AsyncIterator[AnalysisDesk]:
    task = asyncio.create_task(desk.run())
    try:
        yield desk
        assert not task.done()
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def outcome(desk: AnalysisDesk, asked: Job, network: str = HERE) -> bytes | Failed:
    async with asyncio.timeout(60):
        while isinstance(found := await desk.ask(asked, network), Underway):
            await asyncio.sleep(0.01)
    return found


async def idle(desk: AnalysisDesk) -> None:
    async with asyncio.timeout(60):
        while desk._waiting:  # noqa: SLF001 - whether it has nothing to do
            await asyncio.sleep(0.005)


# ---- the desk -----------------------------------------------------------------------------------------


async def test_whoever_asks_is_told_how_far_it_is_and_two_who_ask_are_served_once(tmp_path: Path) -> None:
    bench = Bench(let=False)
    async with running(AnalysisDesk(bench, echo, tmp_path)) as desk:
        assert await desk.look("a") is None
        assert await desk.ask(job(), HERE) == Underway(0, 0)
        assert await desk.ask(job(), "192.0.2.2") == Underway(0, 0)
        while not bench.done:
            await asyncio.sleep(0.005)
        (tmp_path / "a.progress").write_text("3 25")
        assert await desk.ask(job(), HERE) == Underway(3, 25)
        bench.let.set()
        assert await outcome(desk, job()) == b"a"
    assert bench.done == ["a"]
    assert names_in(tmp_path) == ["a.json"]


async def test_analyses_are_made_in_the_order_in_which_they_were_asked_for(tmp_path: Path) -> None:
    bench, names = Bench(), ["c", "a", "b"]
    async with running(AnalysisDesk(bench, echo, tmp_path)) as desk:
        for name in names:
            await desk.ask(job(name), HERE)
        await idle(desk)
    assert bench.done == names


async def test_a_desk_has_so_many_places_and_so_much_room_and_a_network_so_many_of_them(tmp_path: Path) -> None:
    desk = AnalysisDesk(Bench(), echo, tmp_path)
    for number in range(EACH_MAX):
        await desk.ask(job(f"own{number}"), HERE)
    with pytest.raises(AskedTooMuch):
        await desk.ask(job("another"), HERE)
    assert await desk.ask(job("own0"), HERE) == Underway(0, 0)
    with pytest.raises(DeskFull):
        await desk.ask(job("large", bytes(WAITING_BYTES_MAX + 1)), "192.0.2.2")
    for number in range(WAITING_MAX - EACH_MAX):
        await desk.ask(job(f"others{number}"), f"198.51.100.{number}")
    with pytest.raises(DeskFull):
        await desk.ask(job("another"), "203.0.113.1")
    assert await desk.ask(job("own0"), "203.0.113.1") == Underway(0, 0)


@pytest.mark.parametrize(
    ("networks", "size", "room"),
    [(1, 0, EACH_MAX), (2, 0, 2 * EACH_MAX), (2 * WAITING_MAX, 0, WAITING_MAX), (40, WAITING_BYTES_MAX // 5, 5)],
)
async def test_however_many_ask_at_one_moment_no_more_wait_than_may(
    networks: int, size: int, room: int, tmp_path: Path
) -> None:
    bench, record = Bench(), bytes(size)
    desk = AnalysisDesk(bench, echo, tmp_path)
    asked = [desk.ask(job(f"n{number}", record), f"192.0.2.{number % networks}") for number in range(2 * WAITING_MAX)]
    found = await asyncio.gather(*asked, return_exceptions=True)
    full = (AskedTooMuch, DeskFull) if networks <= WAITING_MAX // EACH_MAX else DeskFull
    assert found.count(Underway(0, 0)) == len(desk._waiting) == room  # noqa: SLF001 - what waits
    assert sum(isinstance(each, full) for each in found) == len(found) - room
    waiting = sorted(desk._waiting)  # noqa: SLF001
    assert names_in(tmp_path) == [f"{name}.progress" for name in waiting]
    async with running(desk):
        await idle(desk)
        refused = next(f"n{number}" for number, each in enumerate(found) if not isinstance(each, Underway))
        assert await outcome(desk, job(refused)) == refused.encode()
    assert sorted(bench.done) == sorted([*waiting, refused])


async def test_what_was_thrown_away_is_made_again_and_comes_back_the_same(tmp_path: Path) -> None:
    bench = Bench()
    async with running(AnalysisDesk(bench, echo, tmp_path)) as desk:
        assert await outcome(desk, job()) == b"a"
        (tmp_path / "a.json").unlink()
        assert await outcome(desk, job()) == b"a"
    assert bench.done == ["a", "a"]
    assert await AnalysisDesk(Bench(), echo, tmp_path).look("a") == b"a"


async def test_nobody_else_on_the_machine_reads_what_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "analyses"
    folder.mkdir(mode=0o755)
    before = os.umask(0)
    try:
        async with running(AnalysisDesk(Bench(), echo, folder)) as desk:
            await outcome(desk, job())
            await idle(desk)
        async with running(AnalysisDesk(Bench(), echo, tmp_path / "new" / "analyses")) as desk:
            await outcome(desk, job())
            await idle(desk)
    finally:
        os.umask(before)
    for kept in (folder, tmp_path / "new" / "analyses"):
        assert kept.stat().st_mode & 0o777 == 0o700
        assert (kept / "a.json").stat().st_mode & 0o777 == 0o600


async def test_what_was_asked_for_longest_ago_makes_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desks, "KEPT_BYTES", 2 * EACH_BYTES_MIN)
    async with running(AnalysisDesk(Bench(), echo, tmp_path)) as desk:
        for age, name in enumerate("abc"):
            assert await outcome(desk, job(name)) == name.encode()
            os.utime(tmp_path / f"{name}.json", (age, age))
            if name == "b":
                assert await desk.look("a") == b"a"  # asked for again: it is no more the oldest
        await idle(desk)
    assert names_in(tmp_path) == ["a.json", "c.json"]


async def test_what_a_full_disk_does_not_take_is_told_all_the_same(tmp_path: Path) -> None:
    in_the_way = tmp_path / "folder"
    in_the_way.write_bytes(b"no folder can be made here, nor a file in it")
    bench = Bench()
    async with running(AnalysisDesk(bench, echo, in_the_way)) as desk:
        names = [f"n{number}" for number in range(IN_MEMORY_MAX + 1)]
        for name in names:
            assert await outcome(desk, job(name)) == name.encode()
        assert [await desk.look(name) for name in names[:2]] == [None, b"n1"]
        bench.trouble = [Unavailable("it has ended")] * 2
        assert isinstance(await outcome(desk, job("died")), Failed)
        assert await outcome(desk, job("died")) == b"died"
        bench.trouble = [AssertionError("ours")]
        broken = await outcome(desk, job("broken"))
        assert isinstance(broken, Failed)
        assert [await outcome(desk, job("broken")) for _ in range(2)] == [broken, broken]
    assert bench.done.count("broken") == 1


@pytest.mark.parametrize("trouble", [Unavailable("it has ended"), OSError(errno.EMFILE, "too many open files")])
async def test_a_process_that_dies_is_begun_again_and_told_of_once_it_dies_twice(
    trouble: Exception, tmp_path: Path
) -> None:
    bench = Bench()
    async with running(AnalysisDesk(bench, echo, tmp_path)) as desk:
        bench.trouble = [trouble]
        assert await outcome(desk, job()) == b"a"
        bench.trouble = [trouble] * 2
        died = await outcome(desk, job("b"))
        assert isinstance(died, Failed)
        assert died.code == "died"
        assert await outcome(desk, job("b")) == b"b"


async def test_a_fault_of_ours_is_met_and_logged_once_until_the_program_starts_anew(tmp_path: Path) -> None:
    bench = Bench()
    async with running(AnalysisDesk(bench, echo, tmp_path)) as desk:
        bench.trouble = [AssertionError("ours")]
        with capture_logs() as lines:
            found = [await outcome(desk, job(), network) for network in (HERE, HERE, "192.0.2.2")]
        assert (
            found
            == [Failed("broken_here", 0, "this program has a fault that this record brings out; it is logged")] * 3
        )
        assert [(line["event"], line["log_level"], line["analysis"]) for line in lines] == [
            ("analysis.broken", "error", "a")
        ]
        assert await outcome(desk, job("b")) == b"b"
    assert bench.done == ["a", "b"]
    assert await AnalysisDesk(bench, echo, tmp_path).look("a") == found[0]
    async with running(AnalysisDesk(bench, echo, tmp_path)) as desk:
        await asyncio.sleep(0.05)
        assert await outcome(desk, job()) == b"a"


async def test_an_analysis_without_any_room_takes_too_much(tmp_path: Path) -> None:
    bench = Bench()
    async with running(AnalysisDesk(bench, echo, tmp_path)) as desk:
        bench.trouble = [MemoryError()]
        found = [await outcome(desk, job()) for _ in range(2)]
    assert found == [TOO_MUCH, TOO_MUCH]
    assert bench.done == ["a"]


async def test_why_there_is_no_analysis_is_told_until_the_program_starts_anew(tmp_path: Path) -> None:
    no, bench = Failed("E_HASH", 3, "no"), Bench()
    async with running(AnalysisDesk(bench, lambda _: no, tmp_path)) as desk:
        assert [await outcome(desk, job()) for _ in range(2)] == [no, no]
        assert await AnalysisDesk(bench, echo, tmp_path).look("a") == no
    assert bench.done == ["a"]
    async with running(AnalysisDesk(bench, echo, tmp_path)) as desk:
        await asyncio.sleep(0.05)
        assert await outcome(desk, job()) == b"a"


async def test_what_waits_at_another_program_is_waited_for_until_that_one_dies(tmp_path: Path) -> None:
    there, here = Bench(let=False), Bench()
    async with running(AnalysisDesk(here, echo, tmp_path)) as desk:
        async with running(AnalysisDesk(there, echo, tmp_path)) as other:
            for name in "ab":
                assert await other.ask(job(name), HERE) == Underway(0, 0)
                assert await desk.ask(job(name), HERE) == Underway(0, 0)
                assert await desk.look(name) == Underway(0, 0)
            assert desk._hold("b") is None  # noqa: SLF001 - as if both had been asked at the same time
            await idle(desk)
            assert here.done == []
        os.close(other._waiting["b"].file)  # noqa: SLF001 - as the end of its program does
        for name in "ab":
            assert await outcome(desk, job(name)) == name.encode()
    assert here.done == ["a", "b"]


# ---- the process ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    found = Worker(partial(settle, die_with_parent))
    yield found
    found.close()


@pytest.mark.long
async def test_an_analysis_of_the_desk_is_the_commands_to_the_last_byte(
    worker: Worker, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    record = SMALL.read_bytes()
    async with running(AnalysisDesk(worker, make_analysis, tmp_path)) as desk:
        found = await outcome(desk, job("made", record))
    assert isinstance(found, bytes)
    assert analyse(str(SMALL), json=True, samples=64) == 0
    assert capsysbinary.readouterr().out == found


async def test_a_record_at_fault_or_of_nothing_is_told_with_its_code_and_line(worker: Worker, tmp_path: Path) -> None:
    record = SMALL.read_bytes()
    forged = record.replace(b'"quantity":1', b'"quantity":2', 1)
    assert forged != record
    async with running(AnalysisDesk(worker, make_analysis, tmp_path)) as desk:
        fault = await outcome(desk, job("forged", forged))
        nothing = await outcome(desk, job("nothing", b"no record\n"))
    assert isinstance(fault, Failed)
    assert fault.code.startswith("E_")
    assert fault.line > 1
    assert nothing == Failed("cannot_analyse", 0, "this is no record")


def took_all_memory(given: Job) -> bytes | Failed:
    """Analyse something while there is no more room for it than a process has."""
    filled = [bytes(2**20)]
    with suppress(MemoryError):
        while True:
            filled.append(bytes(len(filled[-1])))
    return make_analysis(given)


def limits(_given: Job) -> bytes:
    return str(os.nice(0)).encode()


def kill_itself(given: Job) -> bytes:
    """Die the first time."""
    marked = Path(given.record.decode())
    if not marked.exists():
        marked.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return b"alive"


async def test_a_process_steps_back_and_one_that_fills_its_memory_fails_alone(worker: Worker, tmp_path: Path) -> None:
    assert int(await worker.do(limits, job())) >= min(NICE, 19)
    assert MEMORY_BYTES == 2**30
    async with running(AnalysisDesk(worker, took_all_memory, tmp_path)) as desk:
        full = await outcome(desk, job(record=SMALL.read_bytes()))
        # It may end of it: with no room at all, not even why can be said.
        assert isinstance(full, bytes) or full.code in {"takes_too_much", "died"}
    assert int(await worker.do(limits, job())) >= min(NICE, 19)


def test_an_analysis_that_takes_too_long_ends() -> None:
    found = make_analysis(job(record=(RECORDS / "three-by-five.cup").read_bytes(), samples=4_096, cpu_s=1))
    assert found == Failed("takes_too_much", 0, "this analysis takes more time or room than one may have here")
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)


async def test_a_process_that_is_killed_harms_nothing_but_its_own_time(worker: Worker, tmp_path: Path) -> None:
    async with running(AnalysisDesk(worker, kill_itself, tmp_path)) as desk:
        marked = str(tmp_path / "marked").encode()
        assert await outcome(desk, job("killed", marked)) == b"alive"


def test_a_name_is_of_the_record_the_policies_and_the_samples() -> None:
    names = {name_of(head, samples) for head in ("ab", "cd") for samples in (64, 512)}
    assert len(names) == 4
    assert name_of("ab", 64) in names
