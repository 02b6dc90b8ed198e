"""`truecup up` ends cleanly, however often and in whichever way it is told to."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.cli.conftest import Running


@pytest.mark.parametrize("told", [(signal.SIGINT, signal.SIGINT), (signal.SIGTERM,), (signal.SIGINT, signal.SIGTERM)])
def test_whoever_stops_it_hears_nothing_but_the_end(tmp_path: Path, told: tuple[signal.Signals, ...]) -> None:
    running = Running(tmp_path / "data")
    before = len((tmp_path / "data.log").read_text())
    for signum in told:
        running.process.send_signal(signum)
    assert running.process.wait(timeout=60) == 0
    assert running.process.stdout is not None
    running.process.stdout.close()
    running.log.close()
    said = (tmp_path / "data.log").read_text()
    assert "Traceback" not in said
    assert "error" not in said
    assert "warning" not in said[before:]
