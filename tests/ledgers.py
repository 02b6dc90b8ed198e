"""Ledgers of long runs: rows of a Markdown table, which name the commit and the machine."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent


def commit() -> str:
    """Return which commit is run, and whether anything is changed in it."""
    asked = ["git", "describe", "--always", "--dirty", "--exclude=*", "--abbrev=12"]
    return subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def machine() -> str:
    """Return what it runs on, as far as that matters."""
    return f"{os.cpu_count()} cores, Python {platform.python_version()}"


def append(row: str, ledger: Path) -> None:
    """Write a row behind those that are there."""
    with ledger.open("a", encoding="utf-8") as file:
        file.write(row)
