"""The program on a wall clock that a test sets: `python leaping.py`, with the same commands.

The file `ahead` in the folder of its data says by how many milliseconds that clock is ahead of the machine's.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path


def main() -> None:
    """Run the program; nothing of it may have been loaded before, so that all of it sees this clock."""
    real, ahead = time.time_ns, Path(sys.argv[sys.argv.index("--data") + 1]) / "ahead"
    time.time_ns = lambda: real() + int(ahead.read_text()) * 1_000_000

    from services.cli.main import main as run  # noqa: PLC0415 - after the clock

    run()


main()
