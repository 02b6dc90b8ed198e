"""`truecup up` ends cleanly, however often and in whichever way it is told to."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.cli.conftest import Running

SLOW_WITNESS = ("witness.did_not_sign", "notary.cannot_publish")


@pytest.mark.parametrize(
    ("told", "processes"),
    [((signal.SIGINT, signal.SIGINT), "2"), ((signal.SIGTERM,), "1"), ((signal.SIGINT, signal.SIGTERM), "1")],
)
def test_whoever_stops_it_hears_nothing_but_the_end(
    tmp_path: Path, told: tuple[signal.Signals, ...], processes: str
) -> None:
    running = Running(tmp_path / "data", TRUECUP_PROCESSES=processes)
    for signum in told:
        running.process.send_signal(signum)
    assert running.process.wait(timeout=60) == 0
    assert running.process.stdout is not None
    running.process.stdout.close()
    running.log.close()
    said = (tmp_path / "data.log").read_text()
    assert "Traceback" not in said
    assert "error" not in said
    # A witness that has just begun may be slow to sign on a busy machine; of the end nothing is told.
    warned = [line for line in said.splitlines() if "warning" in line]
    assert [line for line in warned if not any(slow in line for slow in SLOW_WITNESS)] == []
