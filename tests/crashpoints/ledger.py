"""The ledger of points: long runs, each with its commit, its machine, its counts and whatever was found."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.crashpoints.runs import Outcome, Places
from tests.ledgers import append, commit, machine

LEDGER: Final = Path(__file__).with_name("ledger.md")
SURE: Final = 3
"""Nothing in n: with a probability of 95 % it happens less often than three times in n (the rule of three)."""


class Tally:
    """Many stories, counted.

    Attributes:
        places: Where lives were killed, and what else is known.
        broken: What does not hold, by seed.
        kills: How many lives were killed.
    """

    def __init__(self) -> None:
        self.places = Places()
        self.broken: dict[int, list[str]] = {}
        self.kills = self._stories = self._acknowledged = 0

    def add(self, outcome: Outcome) -> None:
        """Count one story more."""
        self._stories += 1
        self.kills += len(outcome.kills)
        self._acknowledged += outcome.acknowledged
        if outcome.broken:
            self.broken[outcome.seed] = outcome.broken
        self.places.add(outcome)

    @property
    def bound(self) -> str:
        """How often, at most, a kill breaks something."""
        return "none" if self.broken or not self.kills else f"{SURE / self.kills:.2g}"

    @property
    def summary(self) -> str:
        """What came of it in words."""
        told = f"{self.kills} kills, {len(self.places.left)} points left"
        return told if self.broken else f"{told}, at most {self.bound} of kills break something"

    def row(self, seeds: range, cpu_s: float) -> str:
        """Return a row of the ledger."""
        found = ", ".join(map(str, sorted(self.broken))) or "none"
        points = f"{len(self.places.killed)} of {len(self.places.passed.keys() | self.places.killed)}"
        counts = f"{self._stories:,} | {self.kills:,} | {points} | {self._acknowledged:,}"
        ran = f"{seeds.start} to {seeds.stop - 1}"
        return f"| {commit()} | {machine()} | {ran} | {counts} | {cpu_s:,.0f} | {found} | {self.bound} |\n"


def keep(row: str) -> None:
    """Write a row behind those that are there."""
    append(row, LEDGER)
