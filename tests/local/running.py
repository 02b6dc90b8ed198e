"""Processes on this machine, told by the folder they were started for."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import psutil

ROOT = Path(__file__).parent.parent.parent
WAIT_S = 30


def processes_of(folder: Path) -> dict[str, int]:
    """Return by program's name who runs with this folder among its arguments; a zombie has none."""
    found = {}
    for process in psutil.process_iter(["cmdline"]):
        argv = process.info["cmdline"] or []
        if process.pid != os.getpid() and any(str(folder) in argument for argument in argv):
            found[Path(argv[0]).name] = process.pid
    return found


async def none_of(folder: Path) -> bool:
    """Report whether every process of a folder is gone, within a bound."""
    for _ in range(WAIT_S * 20):
        if not processes_of(folder):
            return True
        await asyncio.sleep(0.05)
    return False


async def held(folder: Path) -> subprocess.Popen[str]:
    """Return a program that holds both servers of a folder, once they answer."""
    program = begun(folder)
    assert program.stdout is not None
    assert await asyncio.to_thread(program.stdout.readline) == "ready\n"
    return program


def begun(folder: Path) -> subprocess.Popen[str]:
    """Return a program that begins to hold both servers of a folder."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    argv = [sys.executable, str(Path(__file__).with_name("holding.py")), str(folder)]
    return subprocess.Popen(argv, env=environment, stdout=subprocess.PIPE, text=True)
