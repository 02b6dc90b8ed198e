"""The desk where analyses are asked for: each is made once, in a process of its own, and kept as long as there is room.

An analysis is a pure function of a record, policies and a number of samples, so what those hash to names it; what is
kept may be thrown away at any time and comes back the same. Whoever asks is told how far it is, and asks again; if the
process dies meanwhile, so does nothing else, and the next to ask begins it anew. Several programs may share a folder:
what one of them makes, the others wait for, and if it dies, the next to ask begins it anew there, too.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

import msgspec
import structlog
from msgspec import Struct
from msgspec.structs import replace

from infra.files.whole import FOR_ITS_OWNER, write_whole
from infra.store import Unavailable
from services.audit.verdict import Evidence

WAITING_MAX: Final = 64
"""Analyses that wait at once; whoever asks for another one is told to come back."""
WAITING_BYTES_MAX: Final = 64 * 2**20
"""What the records of these come to at most; those of usual matches have 100 kB."""
EACH_MAX: Final = 8
"""Of these for one network."""
KEPT_BYTES: Final = 256 * 2**20
"""What is kept at most."""
EACH_BYTES_MIN: Final = 64 * 2**10
"""What even a short file counts for, so that there are no more than some thousands."""
IN_MEMORY_MAX: Final = 8
"""Analyses that are kept here because the disk does not take them."""
TRIES: Final = 2
"""How often an analysis is begun whose process ends before it does."""
CPU_S_MAX: Final = 900
"""Seconds of a core that one may take: fifteen times what six seats with five dice each do."""
OWNERS_FOLDER: Final = 0o700
"""Nobody else on the machine reads analyses: whose matches those are is nobody else's business."""
NO_FILE: Final = -1
DIED: Final = "died"
TAKES_TOO_MUCH: Final = "takes_too_much"
BROKEN_HERE: Final = "broken_here"

log = structlog.get_logger(__name__)


class DeskFull(Exception):  # noqa: N818 - named for what is the matter
    """As many analyses wait as may."""


class AskedTooMuch(Exception):  # noqa: N818 - named for what was done
    """So many wait for one network already."""


class Underway(Struct, frozen=True):
    """How far an analysis is: none of none while it waits for others.

    Attributes:
        done: How many rounds are done.
        of: How many there are.
    """

    done: int
    of: int


class Failed(Struct, frozen=True):
    """Why there is no analysis.

    Attributes:
        code: The code of the fault of the record; `cannot_analyse` where there is nothing to analyse in it or not by
            this program; `takes_too_much`; `died` where its process ended, or the machine had no room for it;
            `broken_here` where this program met a fault of its own.
        line: The line of the record it stands in; 0 where it is about none.
        why: It in a sentence.
    """

    code: str
    line: int
    why: str


TOO_MUCH: Final = Failed(TAKES_TOO_MUCH, 0, "this analysis takes more time or room than one may have here")
_DIED: Final = Failed(DIED, 0, "the process that makes this analysis has ended, or the machine had no room for it")
_BROKEN: Final = Failed(BROKEN_HERE, 0, "this program has a fault that this record brings out; it is logged")


class Job(Struct, frozen=True):
    """An analysis to be made.

    Attributes:
        name: What it is kept under.
        record: The record.
        beside: What lies beside it for an audit.
        samples: How many profiles an estimate is made from.
        progress: The file that says how far it is.
        cpu_s: How many seconds of a core it may take.
    """

    name: str
    record: bytes
    beside: Evidence
    samples: int
    progress: str = ""
    cpu_s: int = CPU_S_MAX


class Workplace(Protocol):
    """Where an analysis is made, one after the other."""

    async def do(self, work: Callable[[Job], bytes | Failed], given: Job) -> bytes | Failed:
        """Return what the work makes of a job."""


class _Waiting(Struct, frozen=True):
    """An analysis that waits, for whom, and the file by which it is held."""

    job: Job
    network: str
    file: int


class AnalysisDesk:
    """All analyses of one program."""

    def __init__(self, workplace: Workplace, work: Callable[[Job], bytes | Failed], folder: Path) -> None:
        """Have them made there, in this way, and keep them in this folder."""
        self._workplace, self._work, self._folder = workplace, work, folder
        self._waiting: OrderedDict[str, _Waiting] = OrderedDict()
        self._unkept: OrderedDict[str, bytes | Failed] = OrderedDict()
        self._asked = asyncio.Event()

    async def ask(self, job: Job, network: str) -> bytes | Failed | Underway:
        """Return an analysis, or why there is none, or how far it is.

        Raises:
            DeskFull: As many wait as may.
            AskedTooMuch: So many wait for this network already.
        """
        found = await self.look(job.name)
        if found is not None:
            return found
        self._check_room(job, network)
        file = await asyncio.to_thread(self._hold, job.name)
        if file is not None and job.name not in self._waiting:
            self._take_in(_Waiting(job, network, file))
        return Underway(0, 0)

    async def look(self, name: str) -> bytes | Failed | Underway | None:
        """Return what is known of an analysis; None if nobody has asked for it, or it was thrown away.

        That a process died is told once: it may not be the fault of what was asked for. A fault of ours is told until
        this program starts anew, as the next to ask would meet it too, after as long.
        """
        if name in self._waiting:
            return await asyncio.to_thread(self._progress, name) or Underway(0, 0)
        kept = self._unkept.get(name) or await asyncio.to_thread(self._kept, name)
        if isinstance(kept, Failed) and kept.code == DIED:
            self._unkept.pop(name, None)
            await asyncio.to_thread(_forget, self._place(name, "failed"))
        return kept or await asyncio.to_thread(self._progress, name)

    def _take_in(self, asked: _Waiting) -> None:
        """Let an analysis wait, if there is still room: others may have taken it while its file was being held."""
        try:
            self._check_room(asked.job, asked.network)
        except (DeskFull, AskedTooMuch):
            self._let_go(asked.job.name, asked.file)
            raise
        self._waiting[asked.job.name] = asked
        self._asked.set()

    def _check_room(self, job: Job, network: str) -> None:
        if len(self._waiting) >= WAITING_MAX:
            raise DeskFull
        if sum(len(each.job.record) for each in self._waiting.values()) + len(job.record) > WAITING_BYTES_MAX:
            raise DeskFull
        if sum(each.network == network for each in self._waiting.values()) >= EACH_MAX:
            raise AskedTooMuch

    async def run(self) -> None:
        """Make one analysis after the other until cancelled; what waits then is begun anew by whoever asks again."""
        await asyncio.to_thread(self._forget_failures)
        while True:
            await self._asked.wait()
            self._asked.clear()
            while self._waiting:
                name, waiting = next(iter(self._waiting.items()))
                try:
                    found = await self._made(replace(waiting.job, progress=str(self._place(name, "progress"))))
                    await asyncio.to_thread(self._keep, name, found)
                finally:
                    del self._waiting[name]
                    self._let_go(name, waiting.file)

    async def _made(self, job: Job) -> bytes | Failed:
        for _ in range(TRIES):
            try:
                return await self._workplace.do(self._work, job)
            except (Unavailable, OSError):  # the machine's trouble: another time there may be none
                log.warning("analysis.process_died", analysis=job.name, exc_info=True)
            except MemoryError:  # with no room at all it cannot say so itself
                return TOO_MUCH
            except Exception:  # whatever it is, it is in this record, and nobody else's trouble
                log.exception("analysis.broken", analysis=job.name)
                return _BROKEN
        return _DIED

    # ---- files --------------------------------------------------------------------------------------

    def _place(self, name: str, kind: str) -> Path:
        return self._folder / f"{name}.{kind}"

    def _hold(self, name: str) -> int | None:
        """Have an analysis for oneself among programs that share the folder; None if another one has it.

        Its file of progress is held as long as this program lives, so that one that dies lets go of it. Where the disk
        takes no files, each program makes its own, and holds `NO_FILE`.
        """
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=OWNERS_FOLDER)
            # A release of before has left the folder, and what it holds, open to other users of the machine.
            with suppress(PermissionError):
                self._folder.chmod(OWNERS_FOLDER)
            file = os.open(self._place(name, "progress"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, FOR_ITS_OWNER)
        except OSError:
            return NO_FILE
        if _take(file):
            return file
        os.close(file)
        return None

    def _let_go(self, name: str, file: int) -> None:
        if file != NO_FILE:
            _forget(self._place(name, "progress"))
            os.close(file)

    def _forget_failures(self) -> None:
        """Forget why there was no analysis: another version of this program may make what the last one could not."""
        for place in self._folder.glob("*.failed"):
            _forget(place)

    def _kept(self, name: str) -> bytes | Failed | None:
        with suppress(OSError):
            place = self._place(name, "json")
            found = place.read_bytes()
            os.utime(place)
            return found
        with suppress(OSError, msgspec.DecodeError):
            return msgspec.json.decode(self._place(name, "failed").read_bytes(), type=Failed)
        return None

    def _keep(self, name: str, found: bytes | Failed) -> None:
        if isinstance(found, Failed):
            place, content = self._place(name, "failed"), msgspec.json.encode(found)
        else:
            place, content = self._place(name, "json"), found
        try:
            write_whole(place, content, FOR_ITS_OWNER, durably=False)
            self._make_room()
        except OSError:
            self._unkept[name] = found
            while len(self._unkept) > IN_MEMORY_MAX:
                self._unkept.popitem(last=False)

    def _make_room(self) -> None:
        """Throw away what was asked for longest ago, until the rest has room."""
        kept = [(place, place.stat()) for kind in ("json", "failed") for place in self._folder.glob(f"*.{kind}")]
        room = KEPT_BYTES
        for place, facts in sorted(kept, key=lambda each: each[1].st_mtime, reverse=True):
            room -= max(facts.st_size, EACH_BYTES_MIN)
            if room < 0:
                _forget(place)

    def _progress(self, name: str) -> Underway | None:
        """Return how far an analysis is that is being made, here or by another program; None if none makes it."""
        try:
            with self._place(name, "progress").open("rb") as file:
                if _take(file.fileno()):
                    return None
                done, of = file.read().split()
                return Underway(int(done), int(of))
        except OSError:
            return None
        except ValueError:
            return Underway(0, 0)


def _forget(place: Path) -> None:
    """Delete a file if it is there and can be: what stays is in nobody's way."""
    with suppress(OSError):
        place.unlink()


def _take(file: int) -> bool:
    """Hold an open file as long as it is open, and say whether nobody else does."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
