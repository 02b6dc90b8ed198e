"""A service that was forked from a process which has loaded it already, to be killed like one that was started.

Nine tenths of what a start costs is loading, and suites that kill the service start it by the dozen.
"""

from __future__ import annotations

import os
import select
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Protocol

from tests.cli.forking import NUMBER, begin, read_exactly
from tests.cli.forking import run as run_forked
from tests.hosting import address_of_forker

ENDED_S = 120.0
"""Far longer than any command takes that is run here to its end."""


def run(arguments: Sequence[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """Run the command to its end where the run forks commands, and return what it came to."""
    address = address_of_forker()
    assert address is not None, "nobody forks here"
    return run_forked(address, arguments, environment, None, ENDED_S)


class Process(Protocol):
    """A process that was begun here, whoever is its parent: what `subprocess.Popen` knows of one."""

    @property
    def pid(self) -> int:
        """Its number."""

    def poll(self) -> int | None:
        """Return how it ended, or None while it runs."""

    def send_signal(self, sig: int) -> None:
        """Send it a signal, unless it has ended."""

    def wait(self, timeout: float | None = None) -> int:
        """Return how it ended, once it has."""


class Forked:
    """The command in a process that was forked."""

    def __init__(
        self, address: str, arguments: Sequence[str], environment: Mapping[str, str], output: IO[bytes]
    ) -> None:
        """Have it forked at this address, with nothing to read, and write to this file."""
        self._arguments = list(arguments)
        with Path(os.devnull).open("rb") as nothing:
            ends = (nothing.fileno(), output.fileno(), output.fileno())
            self._asking = begin(address, arguments, environment, ends)
        self.pid = int.from_bytes(read_exactly(self._asking, NUMBER))
        self._code: int | None = None

    def poll(self) -> int | None:
        """Return how it ended, or None while it runs."""
        return self._ended(0)

    def send_signal(self, sig: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):  # it ends just now
                os.kill(self.pid, sig)

    def wait(self, timeout: float | None = None) -> int:
        """Return how it ended, once it has, or raise what `subprocess` does where it has not in so many seconds."""
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(self._arguments, timeout or 0)
        return code

    def _ended(self, within_s: float | None) -> int | None:
        if self._code is None and select.select([self._asking], [], [], within_s)[0]:
            self._code = int.from_bytes(read_exactly(self._asking, NUMBER), signed=True)
            self._asking.close()
        return self._code
