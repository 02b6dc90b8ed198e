"""The desk where analyses are asked for: each is made once, in a process of its own, and kept as long as there is room.

An analysis is a pure function of a record, policies and a number of samples, so what those hash to names it; what is
kept may be thrown away at any time and comes back the same. Whoever asks is told how far it is, and asks again; if the
process dies meanwhile, so does nothing else, and the next to ask begins it anew.
"""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from msgspec import Struct
from msgspec.structs import replace

from infra.store import Unavailable
from services.audit.verdict import Evidence

WAITING_MAX: Final = 64
"""Analyses that wait at once; whoever asks for another one is told to come back."""
EACH_MAX: Final = 8
"""Of these for one network."""
KEPT_BYTES: Final = 256 * 2**20
"""What is kept at most."""
TRIES: Final = 2
"""How often an analysis is begun whose process ends before it does."""


class DeskFull(Exception):  # noqa: N818 - named for what is the matter
    """As many analyses wait as may."""


class AskedTooMuch(Exception):  # noqa: N818 - named for what was done
    """So many wait for one network already."""


class Underway(Struct, frozen=True):
    """How far an analysis is: so many rounds of so many; none of none while it waits."""

    done: int
    of: int


class Failed(Struct, frozen=True):
    """Why there is no analysis.

    Attributes:
        code: The code of the fault of the record, or `died` where its process ended twice.
        line: The line of the record it stands in; 0 where it is about none.
        why: It in a sentence.
    """

    code: str
    line: int
    why: str


class Job(Struct, frozen=True):
    """An analysis to be made.

    Attributes:
        name: What it is kept under.
        record: The record.
        beside: What lies beside it for an audit.
        samples: How many profiles an estimate is made from.
        progress: The file that says how far it is.
    """

    name: str
    record: bytes
    beside: Evidence
    samples: int
    progress: str = ""


class Workplace(Protocol):
    """Where an analysis is made, one after the other."""

    async def do(self, work: Callable[[Job], bytes | Failed], given: Job) -> bytes | Failed:
        """Return what the work makes of a job."""


class AnalysisDesk:
    """All analyses of one program."""

    def __init__(self, workplace: Workplace, work: Callable[[Job], bytes | Failed], folder: Path) -> None:
        """Have them made there, in this way, and keep them in this folder."""
        self._workplace, self._work, self._folder = workplace, work, folder
        self._waiting: OrderedDict[str, tuple[Job, str]] = OrderedDict()
        self._failed: OrderedDict[str, Failed] = OrderedDict()
        self._asked = asyncio.Event()

    async def ask(self, job: Job, network: str) -> bytes | Failed | Underway:
        """Return an analysis, or why there is none, or how far it is.

        Raises:
            DeskFull: As many wait as may.
            AskedTooMuch: So many wait for this network already.
        """
        kept = await asyncio.to_thread(self._kept, job.name)
        if kept is not None:
            return kept
        if job.name in self._failed:
            return self._failed[job.name]
        if job.name not in self._waiting:
            self._put(job, network)
        return await asyncio.to_thread(self._progress, job.name)

    def _put(self, job: Job, network: str) -> None:
        if len(self._waiting) >= WAITING_MAX:
            raise DeskFull
        if sum(whose == network for _, whose in self._waiting.values()) >= EACH_MAX:
            raise AskedTooMuch
        self._waiting[job.name] = (job, network)
        self._asked.set()

    async def run(self) -> None:
        """Make one analysis after the other until cancelled."""
        await asyncio.to_thread(self._folder.mkdir, parents=True, exist_ok=True)
        while True:
            await self._asked.wait()
            self._asked.clear()
            while self._waiting:
                name, (job, _) = next(iter(self._waiting.items()))
                try:
                    await self._make(job)
                finally:
                    self._waiting.pop(name, None)

    async def _make(self, job: Job) -> None:
        given = replace(job, progress=str(self._place(job.name, "progress")))
        found: bytes | Failed = Failed("died", 0, "the process that made this analysis has ended")
        for _ in range(TRIES):
            with suppress(Unavailable):
                found = await self._workplace.do(self._work, given)
                break
        if isinstance(found, Failed):
            self._failed[job.name] = found
            while len(self._failed) > WAITING_MAX:
                self._failed.popitem(last=False)
        else:
            await asyncio.to_thread(self._keep, job.name, found)
        await asyncio.to_thread(self._place(job.name, "progress").unlink, missing_ok=True)

    # ---- files --------------------------------------------------------------------------------------

    def _place(self, name: str, kind: str) -> Path:
        return self._folder / f"{name}.{kind}"

    def _kept(self, name: str) -> bytes | None:
        try:
            place = self._place(name, "json")
            found = place.read_bytes()
            os.utime(place)
        except OSError:
            return None
        return found

    def _keep(self, name: str, found: bytes) -> None:
        beside = self._place(name, "part")
        # A disk that is full keeps nothing: it is made again for whoever asks again.
        with suppress(OSError):
            beside.write_bytes(found)
            beside.replace(self._place(name, "json"))
            self._make_room()

    def _make_room(self) -> None:
        """Throw away what was asked for longest ago, until the rest has room."""
        kept = sorted(self._folder.glob("*.json"), key=lambda place: place.stat().st_mtime, reverse=True)
        room = KEPT_BYTES
        for place in kept:
            room -= place.stat().st_size
            if room < 0:
                place.unlink(missing_ok=True)

    def _progress(self, name: str) -> Underway:
        try:
            done, of = self._place(name, "progress").read_text(encoding="ascii").split()
            return Underway(int(done), int(of))
        except (OSError, ValueError):
            return Underway(0, 0)
