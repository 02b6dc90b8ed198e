"""A witness as people run it: in a process of its own, which may be killed and started again."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from time import monotonic, sleep

import httpx

from domain.log.notes import Key, key_of
from tests.crash.forked import Forked
from tests.hosting import address_of_forker

START_S = 60.0


def settings() -> dict[str, str]:
    """Return the environment without what it sets of ours."""
    return {name: text for name, text in os.environ.items() if not name.startswith("TRUECUP_")}


class Process:
    """`truecup witness` on a folder."""

    def __init__(self, folder: Path, name: str = "w1.example/witness", *logs: Key) -> None:
        self.folder = folder
        self._argv = ["witness", "--folder", str(folder), "--name", name]
        self._logs = [argument for key in logs for argument in ("--log", str(key))]
        self._process: Forked | None = None

    def start(self, *, told: bool = True) -> Process:
        """Start it, and with the logs it is to know unless it was told of them before."""
        (self.folder / "url").unlink(missing_ok=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        argv, forker = [*self._argv, "--listen", "127.0.0.1:0", *(self._logs if told else [])], address_of_forker()
        assert forker is not None, "nobody forks here"
        with (self.folder / "output").open("ab") as output:
            self._process = Forked(forker, argv, settings(), output)
        deadline = monotonic() + START_S
        while not (self.folder / "url").exists():
            assert self._process.poll() is None, self.output
            assert monotonic() < deadline, "the witness did not start"
            sleep(0.02)
        self.url = (self.folder / "url").read_text().strip()
        return self

    def kill(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def stop(self) -> int:
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(timeout=60)

    def ask(self, body: bytes) -> httpx.Response:
        return httpx.post(f"{self.url}/add-checkpoint", content=body, timeout=60)

    @property
    def output(self) -> str:
        return (self.folder / "output").read_text()

    @property
    def key(self) -> Key:
        return key_of((self.folder / "vkey").read_text().strip())
