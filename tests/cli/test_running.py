"""`truecup up` ends cleanly, however often and in whichever way it is told to."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.cli.conftest import BUSY_S, Running

SLOW_WITNESS = ("witness.did_not_sign", "notary.cannot_publish")


@pytest.mark.parametrize(
    ("told", "settings"),
    [
        ((signal.SIGINT, signal.SIGINT), {"TRUECUP_PROCESSES": "2"}),
        ((signal.SIGTERM,), {"TRUECUP_WITNESSES": ""}),
        ((signal.SIGINT, signal.SIGTERM), {"TRUECUP_WITNESSES": ""}),
    ],
)
def test_whoever_stops_it_hears_nothing_but_the_end(
    tmp_path: Path, told: tuple[signal.Signals, ...], settings: dict[str, str]
) -> None:
    running = Running(tmp_path / "data", 0, **settings)
    for signum in told:
        running.process.send_signal(signum)
    assert running.process.wait(timeout=BUSY_S) == 0
    said = running.log
    assert "Traceback" not in said
    assert "error" not in said
    # A witness that has just begun may be slow to sign on a busy machine; of the end nothing is told.
    warned = [line for line in said.splitlines() if "warning" in line]
    assert [line for line in warned if not any(slow in line for slow in SLOW_WITNESS)] == []
