"""A terminal as people have one: a command behind a pseudo-terminal, and the screen that its bytes come to."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
from collections.abc import Callable
from pathlib import Path
from time import monotonic

import pyte

from tests.cli.conftest import PATIENCE_S, PROGRAM, ROOT, environment

LOOK_S = 0.05


class RealTerminal:
    """`truecup` in a terminal of this size; `screen` is what somebody sees who sits before it."""

    def __init__(
        self, folder: Path, *arguments: str, settings: dict[str, str], columns: int = 80, lines: int = 24
    ) -> None:
        self.screen = pyte.Screen(columns, lines)
        self._stream = pyte.ByteStream(self.screen)
        self._near, far = pty.openpty()
        self.resize(columns, lines)
        kept = {
            name: text for name, text in environment(folder, **settings).items() if name not in {"COLUMNS", "LINES"}
        }
        self.process = subprocess.Popen(
            [*PROGRAM, *arguments],
            stdin=far,
            stdout=far,
            stderr=far,
            cwd=ROOT,
            env=kept | {"TERM": "xterm-256color"},
            start_new_session=True,
        )
        os.close(far)

    def resize(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self._near, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.screen.resize(lines, columns)
        if hasattr(self, "process"):
            self.process.send_signal(signal.SIGWINCH)

    def press(self, keys: str) -> None:
        os.write(self._near, keys.encode())

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)

    def until(self, seen: Callable[[str], bool]) -> str:
        """Return the screen as soon as it shows this, or as it was when nothing more came."""
        deadline = monotonic() + PATIENCE_S
        while monotonic() < deadline:
            if seen(self.text()):
                return self.text()
            if not self._read():
                break
        assert seen(self.text()), self.text()
        return self.text()

    def ended(self) -> int:
        """Return the exit code, having read all that is said."""
        deadline = monotonic() + PATIENCE_S
        while monotonic() < deadline and self._read():
            pass
        return self.process.wait(timeout=PATIENCE_S)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._near)

    def _read(self) -> bool:
        """Take in what was written; report whether more may come."""
        ready, _, _ = select.select([self._near], [], [], LOOK_S)
        if ready:
            try:
                self._stream.feed(os.read(self._near, 65_536))
            except OSError:
                return False
            return True
        return self.process.poll() is None
