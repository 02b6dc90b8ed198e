"""A server that is our child: started in the foreground, ended when we end, even if we are killed."""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from services.work.startup import CannotStart

POLL_S = 0.01
READY_S = 60.0
"""How long a first start may take on a slow disk."""
STOP_S = 5.0
PR_SET_PDEATHSIG = 1
LAST_LINES = 8
"""How much of its log a server that did not start is quoted with."""
_C = ctypes.CDLL(None)


class Child:
    """One process of ours."""

    def __init__(self, name: str, argv: Sequence[str], log: Path) -> None:
        """Start it with its output going to a log file."""
        self.name = name
        self.log = log
        with log.open("ab") as output:
            self._process = subprocess.Popen(  # noqa: S603 - our own argument list
                list(argv),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                preexec_fn=partial(die_with_parent, os.getpid()),  # noqa: PLW1509
            )
        self.pid = self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    async def ready(self, is_ready: Callable[[], bool]) -> None:
        """Return when the server says that it is ready.

        Raises:
            CannotStart: It ended, or said nothing for a minute.
        """
        deadline = asyncio.get_running_loop().time() + READY_S
        while not is_ready():
            if not self.alive or asyncio.get_running_loop().time() > deadline:
                self.kill()
                raise CannotStart(f"{self.name} did not start; the end of {self.log} says why:\n{self.last_words()}")
            await asyncio.sleep(POLL_S)

    async def wait_for_end(self) -> int:
        """Return its exit code when it has ended; who stops waiting ends it."""
        try:
            while self.alive:
                await asyncio.sleep(POLL_S)
        finally:
            self.kill()
        return self._process.returncode

    async def stop(self, within_s: float = STOP_S) -> None:
        """Ask it to end, and make it end."""
        if self.alive:
            self._process.send_signal(signal.SIGINT)
        deadline = asyncio.get_running_loop().time() + within_s
        while self.alive and asyncio.get_running_loop().time() < deadline:
            await asyncio.sleep(POLL_S)
        self.kill()

    def last_words(self) -> str:
        """Return the end of its log."""
        return "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-LAST_LINES:])

    def kill(self) -> None:
        """End it at once, and what it has started and not let go."""
        if self.alive:
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()


def die_with_parent(parent: int) -> None:
    """Run in the child before its program: be ended when the parent ends, and deaf to the terminal's Ctrl-C."""
    os.setpgid(0, 0)
    if sys.platform == "linux":
        _C.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it ended before it could be followed
            os._exit(1)
