"""`truecup` as whoever runs a house types it, beside the house's own database."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


async def run(database: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command on this database, with its data in this folder, and return what it came to."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("TRUECUP_")}
    argv = [sys.executable, "-m", "services.cli.main", *arguments]
    given = kept | {"TRUECUP_DATABASE_URL": database, "TRUECUP_DATA": str(folder)}
    return await asyncio.to_thread(
        subprocess.run, argv, cwd=ROOT, env=given, capture_output=True, text=True, check=False, timeout=60
    )
