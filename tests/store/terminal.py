"""`truecup` as whoever runs a house types it, beside the house's own database."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from subprocess import CompletedProcess

from tests.crash.forked import run as forked


async def run(database: str, folder: Path, *arguments: str, **settings: str) -> CompletedProcess[str]:
    """Run a command on this database, with its data in this folder and these settings; return what it came to."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith("TRUECUP_")}
    given = kept | {"TRUECUP_DATABASE_URL": database, "TRUECUP_DATA": str(folder)} | settings
    return await asyncio.to_thread(forked, arguments, given)
