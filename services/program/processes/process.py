"""One process of a set, as the supervisor sees it: started, heard, asked, started again when it dies, and ended."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

import msgspec
import structlog
from msgspec import Struct

from domain.log.receipts import AnotherHistory
from infra.config import Config
from services.local.child import die_with_parent
from services.program.grounds import Where
from services.program.line import Answers, Down, Line, Subject
from services.program.sets import Part
from services.work.startup import CannotStart

CODE: Final = Path(__file__).parents[3]
"""Where this very program is: its processes are of the same version."""
PROGRAM: Final = "services.cli.operating.member"
"""What a process of a set runs."""
AGAIN_S: Final = 0.1
AGAIN_MAX_S: Final = 5.0
"""How long to wait before a process that has died is started again, the first time and after many."""
WELL_S: Final = 10.0
"""How long a process has lived whose death is taken for the first."""
TRIES_MAX: Final = 3
"""How often a process may die without a word before it has ever done its work."""
ASK_S: Final = 2.5
"""How long a process may take to say how it is: a little longer than one of its checks."""
STOP_S: Final = 15.0
"""How long a process may take to end: longer than its doors and its works may (`services.program.app.END_S`)."""
LOOK_S: Final = 0.01

log = structlog.get_logger(__name__)


class BrokenProcess(Exception):  # noqa: N818 - named for what happened
    """A process met a fault at its start; a line of the log says where."""


class Charge(Struct, frozen=True):
    """What a process of a set is told at its start.

    Attributes:
        part: What it does.
        config: Its settings.
        folder: The data folder.
        where: The servers it stands on.
    """

    part: Part
    config: Config
    folder: str
    where: Where


class Process:
    """One process of a set, whichever lives now.

    Attributes:
        name: What it is called.
        answers: Whether it listens.
    """

    def __init__(self, charge: Charge, listening: Sequence[socket.socket], answer: Answers) -> None:
        """Run it with this charge and, if it answers, these sockets; `answer` says what it asks about the others."""
        self.name = charge.part.name
        self.answers = charge.part.answers
        self._charge = charge
        self._listening = listening if self.answers else ()
        self._answer = answer
        self._process: subprocess.Popen[bytes] | None = None
        self._line: Line | None = None
        self._dismissed = False
        self._began = asyncio.Event()

    async def keep(self) -> None:
        """Start it, and start it again whenever it ends, until it is dismissed.

        Raises:
            CannotStart: It cannot do its work, and never could.
            AnotherHistory: The log does not say what was signed.
            BrokenProcess: It met a fault at its first start.
        """
        delay_s, tries, clock = AGAIN_S, 0, asyncio.get_running_loop().time
        while not self._dismissed:
            begun = clock()
            down = await self._live()
            if self._dismissed:
                return
            tries += 1
            self._check(down, tries)
            delay_s = AGAIN_S if clock() - begun > WELL_S else min(AGAIN_MAX_S, 2 * delay_s)
            await asyncio.sleep(delay_s)

    async def up(self) -> None:
        """Return when it does its work for the first time."""
        await self._began.wait()

    async def ask(self, about: Subject) -> bytes | None:
        """Return what it says of itself; None if it does not, or is not up."""
        line = self._line
        return None if line is None or not line.up.is_set() else await line.ask(about, ASK_S)

    def dismiss(self) -> None:
        """Let it not be started again."""
        self._dismissed = True

    async def stop(self) -> None:
        """Tell it to end, and return when it has; one that does not is ended."""
        if self._process is not None:
            if self._process.poll() is None:
                self._process.send_signal(signal.SIGTERM)
            await _end(self._process, STOP_S)

    async def _live(self) -> Down | None:
        """Let it live once; return what it has said of its end."""
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = self._spawn(theirs)
        ours.sendall(msgspec.json.encode(self._charge) + b"\n")
        line = self._line = await Line.over(ours, self._answer)
        hearing = asyncio.create_task(line.run())
        beginning = asyncio.create_task(line.up.wait())
        try:
            await asyncio.wait((hearing, beginning), return_when=asyncio.FIRST_COMPLETED)
            if line.up.is_set():
                self._began.set()
            await hearing
        finally:
            for task in (hearing, beginning):
                task.cancel()
            self._line = None
        if not self._dismissed:
            await _end(self._process, 1.0)  # the line is cut when it is as good as over
        return line.down

    def _spawn(self, theirs: socket.socket) -> subprocess.Popen[bytes]:
        fds = [theirs.fileno(), *(each.fileno() for each in self._listening)]
        path = os.pathsep.join(filter(None, [str(CODE), os.environ.get("PYTHONPATH")]))
        return subprocess.Popen(  # noqa: S603 - our own argument list
            [sys.executable, "-P", "-m", PROGRAM, self.name, *map(str, fds)],
            stdin=subprocess.DEVNULL,
            pass_fds=fds,
            env={**os.environ, "PYTHONPATH": path},
            preexec_fn=partial(die_with_parent, os.getpid()),  # noqa: PLW1509
        )

    def _check(self, down: Down | None, tries: int) -> None:
        """Say that it has died, if it is to be started again.

        Raises:
            CannotStart: It is not: it cannot do its work, and never could.
            AnotherHistory: The log does not say what was signed.
            BrokenProcess: It met a fault at its first start.
        """
        assert self._process is not None, "it has lived"
        if down is not None and down.kind == "history":
            raise AnotherHistory(down.why)
        if not self._began.is_set():
            if down is not None:
                raise CannotStart(down.why) if down.kind == "start" else BrokenProcess
            if tries >= TRIES_MAX:
                raise CannotStart(f"the process {self.name} ends as soon as it is started ({self._process.returncode})")
        why = down.why if down is not None else ""
        log.warning("process.died", died=self.name, code=self._process.returncode, why=why)


async def _end(process: subprocess.Popen[bytes], within_s: float) -> None:
    """Return when a process has ended; after so many seconds it is ended."""
    deadline = asyncio.get_running_loop().time() + within_s
    while process.poll() is None and asyncio.get_running_loop().time() < deadline:
        await asyncio.sleep(LOOK_S)
    if process.poll() is None:
        process.kill()
    process.wait()
