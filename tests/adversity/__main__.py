"""Mishaps as a command: `MISHAP TIMES` lets one happen so often in a house of its own, `A,B TIMES` several in turn."""

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
from tests.hosting import hosted

DICE: Final = 4


def main(given: Sequence[str]) -> int:
    """Run what is asked for, and return 1 where a promise was broken."""
    asked = argparse.ArgumentParser(prog="python -m tests.adversity", description=__doc__)
    asked.add_argument("mishaps", type=_names, help=f"of {', '.join(MISHAPS)}; or one of {', '.join(CROWDS)}")
    asked.add_argument("times", type=int, nargs="?", default=10)
    asked.add_argument("--within", type=float, default=float("inf"), help="seconds after which nothing more happens")
    asked.add_argument("--seed", type=int, default=1, help="draws the moments")
    asked.add_argument("--ledger", action="store_true", help="append what came of it to the ledger")
    said = asked.parse_args(given)
    with hosted(), tempfile.TemporaryDirectory(prefix="truecup-") as folder:
        going = (
            crowd(said.mishaps[0], said.times, Path(folder))
            if said.mishaps[0] in CROWDS
            else run(said.mishaps, said.times, Path(folder), within_s=said.within, seed=said.seed, dice=DICE)
        )
        account = asyncio.run(going)
    sys.stdout.write(account.row())
    if said.ledger:
        write(account)
    return 1 if account.broken else 0


def _names(said: str) -> list[str]:
    """Return the mishaps that are named, or one crowd."""
    names = said.split(",")
    known = set(CROWDS) if len(names) == 1 and said in CROWDS else set(MISHAPS)
    if not set(names) <= known:
        raise argparse.ArgumentTypeError(f"there is no such mishap; there are {', '.join(MISHAPS)}")
    return names


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
