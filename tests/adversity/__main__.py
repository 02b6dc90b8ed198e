"""Mishaps as a command: `MISHAP TIMES` lets one happen so often in a house of its own; `each`, all of them."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.adversity.ledger import write
from tests.adversity.mishaps import MISHAPS
from tests.adversity.running import crowd, run
from tests.adversity.writers import CROWDS

DICE: Final = 4


def main(given: Sequence[str]) -> int:
    """Run what is asked for, and return 1 where a promise was broken."""
    asked = argparse.ArgumentParser(prog="python -m tests.adversity", description=__doc__)
    asked.add_argument("mishap", choices=[*MISHAPS, *CROWDS, "each"])
    asked.add_argument("times", type=int, nargs="?", default=10)
    asked.add_argument("--within", type=float, default=float("inf"), help="seconds after which each ends early")
    asked.add_argument("--seed", type=int, default=1, help="draws the moments")
    asked.add_argument("--ledger", action="store_true", help="append what came of it to the ledger")
    said = asked.parse_args(given)
    broken = 0
    for name in MISHAPS if said.mishap == "each" else [said.mishap]:
        with tempfile.TemporaryDirectory(prefix="truecup-") as folder:
            going = (
                crowd(name, said.times, Path(folder))
                if name in CROWDS
                else run([name], said.times, Path(folder), within_s=said.within, seed=said.seed, dice=DICE)
            )
            account = asyncio.run(going)
        sys.stdout.write(account.row())
        sys.stdout.flush()
        broken += len(account.broken)
        if said.ledger:
            write(account)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
