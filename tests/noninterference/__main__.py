"""The pairs as a command: `FIRST COUNT` plays the houses of so many seeds, each with every set of options."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Sequence
from functools import partial
from time import monotonic, process_time
from typing import Final

from tests.domain.swapped_dice import trees_kept
from tests.ledgers import append
from tests.noninterference import ledger
from tests.noninterference.house import ObservedHouse
from tests.noninterference.pairs import CASES, KINDS, VARIANTS, compare, plans

MOVES: Final = (12, 48)
"""How many moves a match has here: to sit down and to read all there is in the end costs as much as many of them."""


def main(given: Sequence[str]) -> int:
    """Compare what is asked for, and return 1 where something is told apart."""
    asked = argparse.ArgumentParser(prog="python -m tests.noninterference", description=__doc__)
    asked.add_argument("first", type=int, nargs="?", default=0, help="the first seed")
    asked.add_argument("count", type=int, nargs="?", default=1, help="how many")
    asked.add_argument("--game", help="this game alone")
    asked.add_argument("--kind", choices=KINDS, help="matches of this kind alone")
    asked.add_argument("--times", type=int, default=VARIANTS, help="how often each house has other dice")
    asked.add_argument("--minutes", type=float, default=0.0, help="begin no other seed after so many")
    asked.add_argument("--ledger", action="store_true", help="append what came of it to the ledger")
    asked.add_argument("--spectators", action="store_true", help="with a node of their own for spectators")
    said = asked.parse_args(given)
    cases = [case for case in CASES if said.game in (None, case[0])]
    made = partial(ObservedHouse, spectators=said.spectators)
    began, clock, tally, done = process_time(), monotonic(), ledger.Tally(), 0
    for seed in range(said.first, said.first + said.count):
        with trees_kept():
            found, done = compare(seed, plans(seed, cases, said.kind, MOVES), said.times, made), done + 1
        tally.add(seed, found)
        for one in found.differences:
            sys.stdout.write(f"{seed} {one.game} at moment {one.moment}: {one.observer} by {one.what}\n")
        if said.minutes and monotonic() - clock > said.minutes * 60:
            break
    row = tally.row(range(said.first, said.first + done), process_time() - began)
    sys.stdout.write(row)
    if said.ledger:
        append(row, ledger.LEDGER)
    return 1 if tally.differences else 0


if __name__ == "__main__":
    # As the program does, and the tests: an eighth of a run would be spent on looking for garbage among what stays.
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)
    sys.exit(main(sys.argv[1:]))
