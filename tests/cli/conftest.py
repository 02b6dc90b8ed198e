"""The command as people run it: in a process of its own, in an environment of its own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Timer
from time import monotonic
from typing import Any

import httpx
import pytest

from tests.cli import forking
from tests.crash.forked import Forked
from tests.hosting import address_of_forker

ROOT = Path(__file__).parents[2]
PROGRAM = [sys.executable, "-m", "services.cli.main"]
PATIENCE_S = 60
BUSY_S = 300
"""How long what takes long on a quiet machine may take on a busy one."""

SHORT = 10_000
"""Characters that a pipe takes before anybody reads."""
LINES_MAX = 2_000
"""Lines that a terminal is read for at most."""

Run = Callable[..., subprocess.CompletedProcess[str]]


def environment(folder: Path, **settings: str) -> dict[str, str]:
    """Return an environment with these settings and no others of ours."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("TRUECUP_")}
    return kept | {"TRUECUP_DATA": str(folder), "PYTHONUNBUFFERED": "1", "COLUMNS": "100"} | settings


@pytest.fixture
def truecup(tmp_path: Path, shared: Callable[[str], Any]) -> Run:
    """Return a function that runs the command to its end; nothing may ever print a traceback.

    A process that has all commands loaded is forked; where settings are none of ours, a program is started.
    """

    def run(
        *arguments: object, given: str | None = None, within_s: float = PATIENCE_S, **settings: str
    ) -> subprocess.CompletedProcess[str]:
        argv, around = list(map(str, arguments)), environment(tmp_path / "data", **settings)
        if all(name.startswith("TRUECUP_") for name in settings) and len(given or "") < SHORT:
            ended = forking.run(shared("forker")["address"], argv, around, given, within_s)
        else:
            ended = subprocess.run(
                [*PROGRAM, *argv],
                input=given,
                capture_output=True,
                text=True,
                timeout=within_s,
                cwd=ROOT,
                env=around,
                check=False,
            )
        assert "Traceback" not in ended.stderr, ended.stderr
        return ended

    return run


class Service:
    """A service that somebody has started, and the folder of its data."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.folder = folder

    def match_of_bots(self, **rules: Any) -> str:
        """Open a match, let three house bots play it, and return its id."""
        with httpx.Client(base_url=f"{self.url}/api/v1", timeout=60) as client:
            asked = {"game": "common_hand", "pause_ms": 0, "seats": 3, **rules}
            opened = client.post("/matches", json={"rules": asked}).raise_for_status().json()
            host = {"Authorization": f"Bearer {opened['token']}"}
            client.post(f"/matches/{opened['match']}/bots", json={"count": 3}, headers=host).raise_for_status()
            client.post(f"/matches/{opened['match']}/start", headers=host).raise_for_status()
        return str(opened["match"])

    def wait_until_over(self, match: str) -> None:
        """Return when the match is over and the log vouches for its end."""
        deadline = monotonic() + BUSY_S
        while monotonic() < deadline:
            if b"#tlog-proof" in httpx.get(f"{self.url}/api/v1/matches/{match}/record", timeout=60).content:
                return
            Event().wait(0.5)
        pytest.fail("the match did not end")


class Running(Service):
    """A `truecup up` that is running, in one process unless the settings ask for more."""

    def __init__(self, folder: Path, port: int = 0, **settings: str) -> None:
        self._log, forker = folder.parent / f"{folder.name}.log", address_of_forker()
        assert forker is not None, "nobody forks here"
        told = len(self.log)
        argv, around = ["up", "--no-demo", "--port", str(port)], {"TRUECUP_PROCESSES": "1"} | settings
        with self._log.open("ab") as output:
            self.process = Forked(forker, argv, environment(folder, **around), output)
        deadline = monotonic() + BUSY_S
        while (
            found := re.search(r"^Truecup is running at (http://127\.0\.0\.1:\d+)\n", self.log[told:], re.MULTILINE)
        ) is None:
            assert self.process.poll() is None, self.log
            assert monotonic() < deadline, "the service did not start"
            Event().wait(0.02)
        super().__init__(found[1], folder)

    @property
    def log(self) -> str:
        """All that it has said, and those before it in the same folder."""
        return self._log.read_text() if self._log.exists() else ""

    def stop(self) -> int:
        """Press Ctrl-C and return the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=BUSY_S)


@pytest.fixture(scope="session")
def running(service_url: str, service_folder: Path) -> Service:
    """Return the run's service, with bots that do not stop to think; others play there as well."""
    return Service(service_url, service_folder)


@pytest.fixture(scope="session")
def finished(running: Service) -> str:
    """Return a match that three bots have played to its end."""
    match = running.match_of_bots(options={"dice_per_player": 2})
    running.wait_until_over(match)
    return match


class Terminal:
    """`truecup play` in a terminal of its own."""

    def __init__(self, forker: str, running: Service, *arguments: str) -> None:
        where = () if "--url" in arguments else ("--url", running.url)
        self.process = forking.ForkedCommand(forker, ["play", *where, *arguments], environment(running.folder))
        self.said: list[str] = []

    def type(self, text: str) -> None:
        self.process.stdin.write(f"{text}\n")
        self.process.stdin.flush()

    def until(self, beginning: str | tuple[str, ...]) -> str | None:
        """Return the next line that begins so, or in one of these ways, or None if the program ends before.

        It ends where it says no such thing for long.
        """
        enough = Timer(PATIENCE_S, self.process.kill)
        enough.start()
        try:
            for line in self.process.stdout:
                self.said.append(line.rstrip())
                assert len(self.said) < LINES_MAX
                if line.startswith(beginning):
                    return line
        finally:
            enough.cancel()
        return None

    def ended(self) -> int:
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(timeout=BUSY_S)


@pytest.fixture
def at_terminal(running: Service, shared: Callable[[str], Any]) -> Iterator[Callable[..., Terminal]]:
    """Return a function that sits down at a terminal; whatever becomes of the test, nobody stays there."""
    opened: list[Terminal] = []
    forker = shared("forker")["address"]

    def sit(*arguments: str) -> Terminal:
        opened.append(Terminal(forker, running, *arguments))
        return opened[-1]

    yield sit
    for terminal in opened:
        terminal.process.kill()
        terminal.ended()


def answer(offered: str) -> str:
    """Return something that is offered: a doubt where there is one, else a claim, else a roll."""
    claim = re.search(r"a bid such as (\w+)|a claim, from (.+?) upwards", offered)
    if "; liar" in offered or ": liar" in offered:
        return "liar"
    return "roll" if claim is None else claim[1] or claim[2]


def documents(text: str) -> list[dict[str, Any]]:
    """Return the JSON documents of some lines."""
    return [json.loads(line) for line in text.splitlines()]
