"""Programs in JavaScript that answer line by line, started once and asked again and again.

Starting Node and compiling what it loads is dearer than most of what tests ask.
"""

from __future__ import annotations

import atexit
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Timer
from typing import Final

SECONDS: Final = 300
"""How long a program may take for what it is asked at once, before it is killed, and a second more for each line."""


class KeptProgram:
    """A program that answers each line of its input with one of its output."""

    def __init__(self, command: Sequence[str]) -> None:
        self._says = tempfile.TemporaryFile()  # noqa: SIM115 - open for as long as the program
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=self._says)
        atexit.register(self._end)

    def answers(self, lines: Sequence[bytes]) -> list[bytes]:
        """Return what it answers to each of these lines."""
        told, hears = self._process.stdin, self._process.stdout
        assert told is not None
        assert hears is not None

        def tell() -> None:
            # Beside hearing it: with pipes that are full both ways, both would wait.
            told.writelines(line + b"\n" for line in lines)
            told.flush()

        watch = Timer(SECONDS + len(lines), self._process.kill)
        watch.start()
        with ThreadPoolExecutor(1) as beside:
            beside.submit(tell)
            found = [hears.readline() for _ in lines]
        watch.cancel()
        self._says.seek(0)
        complaint = self._says.read()
        if complaint or b"" in found:
            kept_program.cache_clear()  # whoever asks next is not to hear of it again
        assert (complaint, b"" in found) == (b"", False), "it complains, or has ended"
        return found

    def _end(self) -> None:
        self._process.communicate()
        self._says.close()


@cache
def kept_program(*command: str) -> KeptProgram:
    """Return the program of this command line, which is started when it is asked for first."""
    return KeptProgram(command)
