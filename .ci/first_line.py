"""Run the README's first line as a newcomer would, watch the demo match move, press Ctrl-C, look for what is left."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterable
from pathlib import Path

START_S = 600
MOVE_S = 60
STOP_S = 3
SESSION_FIELD = 2
"""Where the session stands in /proc/PID/stat, counted from 0 after a process's name and state."""


def main() -> None:
    """Fail with a sentence at the first thing that is not as the README says."""
    with tempfile.TemporaryDirectory(prefix="truecup data ") as folder:
        shell = begun(sys.argv[1], folder)
        try:
            watched(printed_address(shell))
            stopped(shell)
        finally:
            for pid in of_session(shell.pid):
                os.kill(pid, signal.SIGKILL)
    print("the first line works as written")


def begun(line: str, folder: str) -> subprocess.Popen[str]:
    """Start the line in a session of its own, so that whatever it starts can be found, with no settings and no data."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith("TRUECUP_")}
    environment |= {"XDG_DATA_HOME": folder, "PYTHONUNBUFFERED": "1"}
    shell = shutil.which("sh") or "sh"
    return subprocess.Popen(
        [shell, "-c", line], stdout=subprocess.PIPE, text=True, env=environment, start_new_session=True
    )


def printed_address(shell: subprocess.Popen[str]) -> str:
    """Return the address the line prints, and go on showing what it says."""
    assert shell.stdout is not None
    late = threading.Timer(START_S, os.killpg, (shell.pid, signal.SIGKILL))
    late.start()
    for text in shell.stdout:
        print("   |", text.rstrip(), flush=True)
        found = re.search(r"http://127\.0\.0\.1:\d+", text)
        if found:
            late.cancel()
            threading.Thread(target=shown, args=(shell.stdout,), daemon=True).start()
            return found.group()
    late.cancel()
    sys.exit("the line printed no address")


def shown(lines: Iterable[str]) -> None:
    """Show the rest of what the line says, so that it never waits for a reader."""
    for text in lines:
        print("   |", text.rstrip(), flush=True)


def watched(address: str) -> None:
    """See the page answer and the demo match move."""
    with urllib.request.urlopen(address + "/", timeout=10) as page:
        assert page.status == 200, page.status
        assert b"<html" in page.read()
    deadline = time.monotonic() + MOVE_S
    seen: dict[str, set[int]] = {}
    while time.monotonic() < deadline:
        with urllib.request.urlopen(address + "/api/v1/matches", timeout=10) as answer:
            lobby = json.load(answer)
        for match in lobby["matches"] if isinstance(lobby, dict) else lobby:
            seen.setdefault(match["match"], set()).add(match["version"])
        if any(len(versions) > 3 for versions in seen.values()):
            print("   the demo match moves: versions", *[sorted(versions) for versions in seen.values()])
            return
        time.sleep(0.5)
    sys.exit(f"no demo match was seen moving: {seen}")


def stopped(shell: subprocess.Popen[str]) -> None:
    """See everything end within moments of Ctrl-C, and no process stay."""
    print("   these run:", *sorted(of_session(shell.pid).values()))
    os.killpg(shell.pid, signal.SIGINT)
    begun_at = time.monotonic()
    try:
        shell.wait(timeout=STOP_S)
    except subprocess.TimeoutExpired:
        sys.exit(f"it did not stop within {STOP_S} s of Ctrl-C")
    print(f"   it stopped after {time.monotonic() - begun_at:.2f} s")
    left = of_session(shell.pid)
    if left:
        sys.exit(f"it left processes behind: {left}")


def of_session(session: int) -> dict[int, str]:
    """Return by process id the name of who runs in a session; a zombie runs no more."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            before, _, after = (entry / "stat").read_text().rpartition(")")
        except OSError:
            continue
        state, *fields = after.split()
        if state != "Z" and fields[SESSION_FIELD] == str(session):
            found[int(entry.name)] = before.partition("(")[2]
    return found


if __name__ == "__main__":
    main()
