"""Run the README's first line as a newcomer would, watch the demo match move, press Ctrl-C, look for what is left."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

START_S = 600
MOVE_S = 60
STOP_S = 3


def main() -> None:
    """Fail with a sentence at the first thing that is not as the README says."""
    folder = tempfile.mkdtemp(prefix="truecup data ")
    environment = {**os.environ, "XDG_DATA_HOME": folder, "PYTHONUNBUFFERED": "1"}
    for name in [name for name in environment if name.startswith("TRUECUP_")]:
        del environment[name]
    shell = subprocess.Popen(
        ["sh", "-c", sys.argv[1]], stdout=subprocess.PIPE, text=True, env=environment, start_new_session=True
    )
    try:
        address = printed_address(shell)
        watched(address)
    except BaseException:
        os.killpg(shell.pid, signal.SIGINT)
        raise
    stopped(shell, folder)
    print("the first line works as written")


def printed_address(shell: subprocess.Popen[str]) -> str:
    """Return the address the line prints."""
    deadline = time.monotonic() + START_S
    assert shell.stdout is not None
    for text in shell.stdout:
        print("   |", text.rstrip())
        found = re.search(r"http://127\.0\.0\.1:\d+", text)
        if found:
            return found.group()
        if time.monotonic() > deadline:
            break
    sys.exit("the line printed no address")


def watched(address: str) -> None:
    """See the page answer and the demo match move."""
    with urllib.request.urlopen(address + "/", timeout=10) as page:
        assert page.status == 200, page.status
    deadline = time.monotonic() + MOVE_S
    seen: set[int] = set()
    while time.monotonic() < deadline:
        with urllib.request.urlopen(address + "/api/v1/matches", timeout=10) as answer:
            lobby = json.load(answer)
        matches = lobby["matches"] if isinstance(lobby, dict) else lobby
        seen.update(match["version"] for match in matches)
        if len(seen) > 3 and max(seen) > 20:
            print("   the demo match moves: versions", sorted(seen)[-3:])
            return
        time.sleep(0.5)
    sys.exit(f"no demo match was seen moving: {sorted(seen)}")


def stopped(shell: subprocess.Popen[str], folder: str) -> None:
    """See everything end within moments of Ctrl-C, and no process stay."""
    os.killpg(shell.pid, signal.SIGINT)
    begun = time.monotonic()
    try:
        shell.wait(timeout=STOP_S)
    except subprocess.TimeoutExpired:
        os.killpg(shell.pid, signal.SIGKILL)
        sys.exit(f"it did not stop within {STOP_S} s of Ctrl-C")
    print(f"   it stopped after {time.monotonic() - begun:.2f} s")
    left = [line for line in processes() if folder in line]
    if left:
        sys.exit("it left processes behind:\n" + "\n".join(left))


def processes() -> list[str]:
    """Return the command line of every process that runs."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return found


if __name__ == "__main__":
    main()
