"""Nonsense as a command: `FIRST COUNT` sends so many inputs to each door, or to those that are named."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from time import process_time

from tests.malformed import ledger
from tests.malformed.attack import DOORS, attack
from tests.malformed.tally import Tally


def main(given: Sequence[str]) -> int:
    """Send what is asked for, and return 1 where something was found."""
    asked = argparse.ArgumentParser(prog="python -m tests.malformed", description=__doc__)
    asked.add_argument("first", type=int, nargs="?", default=0, help="the first input")
    asked.add_argument("count", type=int, nargs="?", default=1_000, help="how many, of each door")
    asked.add_argument("--door", choices=DOORS, action="append", help="this one; may be said again")
    asked.add_argument(
        "--ledger", type=Path, nargs="?", const=ledger.LEDGER, help="append what came of it to the ledger, or to a file"
    )
    said = asked.parse_args(given)
    numbers = range(said.first, said.first + said.count)
    tallies = [_run(door, numbers, said.ledger) for door in said.door or DOORS]
    return 1 if any(tally.found for tally in tallies) else 0


def _run(door: str, numbers: range, kept: Path | None) -> Tally:
    began, tally = process_time(), Tally()
    attack(door, numbers, tally)
    row = ledger.row(door, numbers, tally, process_time() - began)
    sys.stdout.write("\n".join([*tally.found, *tally.slow, row]))
    sys.stdout.flush()
    if kept is not None:
        with kept.open("a", encoding="utf-8") as file:
            file.write(row)
    return tally


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
