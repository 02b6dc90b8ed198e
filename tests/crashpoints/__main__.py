"""Crash points as a command: `FIRST COUNT` tells so many stories, each through lives that are killed at points."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from time import monotonic
from typing import Final

from tests.crashpoints import ledger
from tests.crashpoints.life import EVENTS
from tests.crashpoints.planted import BUGS
from tests.crashpoints.runs import House, Outcome, Places, faults_at_end, spare_the_collector, tell_story
from tests.crashpoints.servers import Houses, servers
from tests.crashpoints.tracer import Target

STORIES_EACH: Final = 50
"""How many stories are told on one database."""
STORIES_EACH_PLANTED: Final = 3
"""The same with a bug in place: some are seen at the end of a house."""
FEW: Final = 40
"""With fewer points left than that each story has a database of its own: some are come by only where all is new."""


def main(given: Sequence[str]) -> int:
    """Tell what is asked for, and return 1 where a promise was broken."""
    asked = argparse.ArgumentParser(prog="python -m tests.crashpoints", description=__doc__)
    asked.add_argument("first", type=int, nargs="?", default=0, help="the first seed")
    asked.add_argument("count", type=int, nargs="?", default=10, help="how many stories at most")
    asked.add_argument("--all", action="store_true", help="end once a life was killed at every point")
    asked.add_argument("--minutes", type=float, help="begin no story after so long")
    asked.add_argument("--on", metavar="POSTGRES", help="a server that is there, with a database to copy")
    asked.add_argument("--planted", choices=sorted(BUGS), help="with this bug in place, until it is found")
    asked.add_argument("--near", default="", help="kill only at places with this in their names")
    asked.add_argument("--places", action="store_true", help="show how often a life was killed where")
    asked.add_argument("--ledger", action="store_true", help="append what came of it to the ledger")
    said = asked.parse_args(given)
    with ExitStack() as stack:
        where = stack.enter_context(servers(said.on))
        if said.planted:
            said.near = BUGS[said.planted].near
            stack.enter_context(BUGS[said.planted].in_place())
        spare_the_collector()
        return _tell(said, Houses(*where).new)


def _tell(said: argparse.Namespace, new: Callable[[], House]) -> int:
    tally, began, house = ledger.Tally(), _cpu_s(), new()
    for seed in range(0, EVENTS, EVENTS - 1):
        # A story of each sort without a kill says which points there are.
        tally.add(_told(house, seed, "whole", iter(())))
    told = range(said.first, said.first)
    with suppress(KeyboardInterrupt):
        for seed in _seeds(said, tally):
            if seed - 1 in tally.broken or _is_due(said, tally, seed - said.first):
                _close(house, seed - 1, tally)
                house = new()
            tally.add(_told(house, seed, "killed", tally.places.targets(seed, said.near, aims=said.all)))
            told = range(said.first, seed + 1)
    _close(house, told.stop - 1, tally)
    row = tally.row(told, _cpu_s() - began)
    if said.places:
        _show(tally.places)
    sys.stdout.write(f"{row}{tally.summary}\n")
    if said.ledger:
        ledger.keep(row)
    return 1 if tally.broken else 0


def _close(house: House, seed: int, tally: ledger.Tally) -> None:
    """Hold what a house has made of its log against it, unless its last story has shown it to be broken."""
    if seed not in tally.broken and (found := faults_at_end(house)):
        tally.broken[seed] = found
        _say(f"at the end of a house, after {seed}", found)


def _say(when: str, found: Sequence[str]) -> None:
    for what in found:
        sys.stdout.write(f"{when}: {what}\n")


def _seeds(said: argparse.Namespace, tally: ledger.Tally) -> Iterator[int]:
    """Yield the seeds that are asked for, until what they are asked for has come about."""
    until = None if said.minutes is None else monotonic() + 60 * said.minutes
    for seed in range(said.first, said.first + said.count):
        found, done = said.planted and tally.broken, said.all and not tally.places.left
        if found or done or (until is not None and monotonic() > until):
            return
        yield seed


def _is_due(said: argparse.Namespace, tally: ledger.Tally, stories: int) -> bool:
    """Report whether the next story has a database of its own, or is the first of many on one."""
    each = STORIES_EACH_PLANTED if said.planted else STORIES_EACH
    return (said.all and len(tally.places.left) <= FEW) or stories % each == each - 1


def _told(house: House, seed: int, name: str, targets: Iterator[Target]) -> Outcome:
    outcome = tell_story(house, seed, f"{name} {seed}", targets)
    _say(f"{seed}, killed {len(outcome.kills)} times, last at {outcome.kills[-1:]}", outcome.broken)
    return outcome


def _show(places: Places) -> None:
    for point in sorted(places.passed):
        sys.stdout.write(f"{places.killed[point]:6} {point.side:8} {point.place}\n")


def _cpu_s() -> float:
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
