"""The simulation as a command: `FIRST COUNT` runs so many seeds, `--seed N` shows one of them line by line."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Sequence
from time import process_time

import msgspec

from tests.ledgers import append
from tests.simulation import ledger
from tests.simulation.schedule import Outcome, Schedule


def main(given: Sequence[str]) -> int:
    """Run what is asked for, and return 1 where a promise was broken."""
    asked = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    asked.add_argument("first", type=int, nargs="?", default=0, help="the first seed")
    asked.add_argument("count", type=int, nargs="?", default=100, help="how many")
    asked.add_argument("--seed", type=int, help="show this one with its trace")
    asked.add_argument("--twice", action="store_true", help="run each a second time, which has to be the same")
    asked.add_argument("--ledger", action="store_true", help="append what came of it to the ledger")
    said = asked.parse_args(given)
    if said.seed is not None:
        return _show(Schedule(said.seed, keeps=True).run())
    return _run(range(said.first, said.first + said.count), twice=said.twice, kept=said.ledger)


def _show(found: Outcome) -> int:
    lines = [
        *found.told,
        f"profile {found.profile}, trace {found.trace}",
        *(f"BROKEN {one}" for one in found.violations),
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if found.violations else 0


def _run(seeds: range, *, twice: bool, kept: bool) -> int:
    gc.freeze()  # what modules hold is not looked through again and again
    gc.set_threshold(20_000, 50, 50)  # a sixth of the time, as a schedule leaves thousands of things behind
    began, tally = process_time(), ledger.Tally()
    for seed in seeds:
        found = Schedule(seed).run()
        if twice and Schedule(seed).run() != found:
            found = msgspec.structs.replace(found, violations=(*found.violations, "a second run of it was another"))
        tally.add(found)
        for what in found.violations:
            sys.stdout.write(f"{seed} {found.profile}: {what}\n")
    row = tally.row(seeds, process_time() - began)
    sys.stdout.write(row)
    if kept:
        append(row, ledger.LEDGER)
    return 1 if tally.broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
