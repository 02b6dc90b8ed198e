"""A server that is our child: started in the foreground, ended when we end, even if we are killed."""

from __future__ import annotations

import asyncio
import ctypes
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

POLL_S = 0.01
READY_S = 60.0
"""How long a first start may take on a slow disk."""
STOP_S = 5.0
PR_SET_PDEATHSIG = 1


class CannotStart(Exception):  # noqa: N818 - named for what happened
    """A server did not come up; the message says what to do about it."""


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
                preexec_fn=_die_with_parent,  # noqa: PLW1509
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
                raise CannotStart(f"{self.name} did not start; the end of {self.log} says why:\n{_tail(self.log)}")
            await asyncio.sleep(POLL_S)

    async def stop(self) -> None:
        """Ask it to end, and make it end."""
        if self.alive:
            self._process.send_signal(signal.SIGINT)
        deadline = asyncio.get_running_loop().time() + STOP_S
        while self.alive and asyncio.get_running_loop().time() < deadline:
            await asyncio.sleep(POLL_S)
        self.kill()

    def kill(self) -> None:
        """End it at once."""
        if self.alive:
            self._process.kill()
        self._process.wait()


def _tail(log: Path, lines: int = 8) -> str:
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])


def _die_with_parent() -> None:
    """Run in the child before its program: be ended when the parent ends, and deaf to the terminal's Ctrl-C."""
    os.setpgid(0, 0)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def as_ordinary_user(argv: Sequence[str]) -> list[str]:
    """Return the command so that it does not run as root, which Postgres refuses.

    As root the program runs in a user namespace of its own, where its user is nobody and the files keep their owner.

    Raises:
        CannotStart: Root cannot make one here.
    """
    if os.geteuid() != 0:
        return list(argv)
    unshare = shutil.which("unshare")
    probe = [unshare or "", "--user", "--map-user=65534", "true"]
    if unshare is None or subprocess.run(probe, capture_output=True, check=False).returncode != 0:  # noqa: S603
        raise CannotStart(
            "Postgres refuses to run as root, and this system allows no user namespaces: start truecup as another"
            " user, or set TRUECUP_DATABASE_URL to a Postgres that runs already"
        )
    return [unshare, "--user", "--map-user=65534", *argv]
