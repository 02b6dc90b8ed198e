"""The ledger of schedules: long runs, each with its commit, its machine, its counts and whatever was found."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Final, Self

from tests.ledgers import commit, machine
from tests.simulation.schedule import Outcome

LEDGER: Final = Path(__file__).with_name("ledger.md")
FOUND_MAX: Final = 10
"""Seeds with violations that a row names."""


class Tally:
    """Many schedules, counted.

    Attributes:
        broken: What was found, by seed.
    """

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._faults: Counter[str] = Counter()
        self._profiles: Counter[str] = Counter()
        self.broken: dict[int, tuple[str, ...]] = {}

    def add(self, found: Outcome) -> Self:
        """Count one schedule more."""
        counted = {"schedules": 1, "events": found.events, "acknowledged": found.acknowledged, "passes": found.passes}
        self._counts += Counter(counted)
        self._faults += found.faults
        self._profiles[found.profile] += 1
        if found.violations:
            self.broken[found.seed] = found.violations
        return self

    def row(self, seeds: range, cpu_s: float) -> str:
        """Return a row of the ledger."""
        faults = ", ".join(f"{kind} {count:,}" for kind, count in sorted(self._faults.items()))
        profiles = ", ".join(f"{name} {count:,}" for name, count in sorted(self._profiles.items()))
        found = ", ".join(map(str, sorted(self.broken)[:FOUND_MAX])) or "none"
        counts = " | ".join(f"{self._counts[each]:,}" for each in ("schedules", "events", "acknowledged"))
        ran = f"{seeds.start} to {seeds.stop - 1}"
        return f"| {commit()} | {machine()} | {ran} | {counts} | {cpu_s:,.0f} | {found} | {profiles} | {faults} |\n"
