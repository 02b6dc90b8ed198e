"""A program that holds both servers until it is told to end, or killed: `python holding.py FOLDER`."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

from services.local.servers import LocalServers


async def main(folder: Path) -> None:
    async with LocalServers(folder):
        print("ready", flush=True)  # noqa: T201 - told to the test that started this
        await asyncio.Event().wait()


if __name__ == "__main__":
    # A shell that starts the tests in the background lets them ignore Ctrl-C, and what they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        asyncio.run(main(Path(sys.argv[1])))
    except KeyboardInterrupt:
        sys.exit(0)
