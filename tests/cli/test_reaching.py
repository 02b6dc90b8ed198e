"""The addresses that `truecup up` prints for others on the network, and on a terminal a code of the first."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

import pytest

from infra.config import Config
from services.cli.operating.reaching import blocks_of, tell_others
from tests.cli.conftest import ROOT
from tests.web.codes import read_code

URL = "http://192.0.2.7:8000"
TELL = (
    "from infra.config import Config; from services.cli.operating.reaching import tell_others;"
    f"tell_others(Config(host='192.0.2.7'), {URL!r})"
)
DARK = {" ": (False, False), "\u2580": (True, False), "\u2584": (False, True), "\u2588": (True, True)}
"""Which of the two modules, the upper and the lower, a character shows as dark."""


def modules_of(lines: list[str]) -> list[list[bool]]:
    """Return the rows of modules that these lines of a terminal show."""
    return [[DARK[character][half] for character in line] for line in lines for half in (0, 1)]


def printed(width: int, **environment: str) -> str:
    """Return what a terminal shows that is so wide."""
    ours, theirs = pty.openpty()
    kept = {name: text for name, text in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR"}}
    look = {"COLUMNS": str(width), "TERM": "xterm-256color", "COLORTERM": "truecolor", "PYTHONIOENCODING": "utf-8"}
    with os.fdopen(ours, "rb", buffering=0) as reading:
        program = subprocess.Popen([sys.executable, "-c", TELL], stdout=theirs, cwd=ROOT, env=kept | look | environment)
        os.close(theirs)
        shown = b""
        try:
            while piece := reading.read(4_096):
                shown += piece
        except OSError:  # how Linux says that nobody writes any more
            pass
        assert program.wait(timeout=60) == 0
    return shown.decode()


@pytest.mark.parametrize("url", [URL, "http://[2001:db8:0:1:2:3:4:5]:65535"])
def test_the_code_on_a_terminal_is_read_as_the_address(url: str) -> None:
    assert read_code(modules_of(blocks_of(url))) == url


def test_on_a_terminal_the_code_stands_below_the_address_in_black_on_white() -> None:
    address, *code = printed(80).replace("\r", "").splitlines()
    assert address == f"On your network: {URL}"
    assert all(line.startswith("\x1b[") for line in code)
    assert read_code(modules_of([re.sub(r"\x1b\[[\d;]*m", "", line) for line in code])) == URL


@pytest.mark.parametrize("look", [{"width": 20}, {"width": 80, "PYTHONIOENCODING": "ascii"}])
def test_where_it_would_not_be_seen_no_code_is_printed(look: dict[str, object]) -> None:
    assert printed(**look).split("\r\n") == [f"On your network: {URL}", ""]  # type: ignore[arg-type]


def test_a_file_gets_no_code(capsys: pytest.CaptureFixture[str]) -> None:
    tell_others(Config(host="192.0.2.7"), URL)
    assert capsys.readouterr().out == f"On your network: {URL}\n"


def test_a_house_for_its_own_machine_says_nothing_of_others(capsys: pytest.CaptureFixture[str]) -> None:
    tell_others(Config(), "http://127.0.0.1:8000")
    assert capsys.readouterr().out == ""
