"""The ledger of pairs: long runs, each with its commit, its machine, its counts and whatever was told apart."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Final

from tests.ledgers import commit, machine
from tests.noninterference.pairs import Difference, Found

LEDGER: Final = Path(__file__).with_name("ledger.md")
FOUND_MAX: Final = 10
"""Differences that a row names."""


class Tally:
    """The pairs of many seeds, counted.

    Attributes:
        differences: What was told apart, by seed.
    """

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._pairs: Counter[str] = Counter()
        self._games: Counter[str] = Counter()
        self.differences: dict[int, list[Difference]] = {}

    def add(self, seed: int, found: Found) -> None:
        """Count one seed more."""
        self._counts += Counter(matches=found.runs, moments=found.moments)
        self._games += found.games
        # Seats are one observer, whichever they are.
        self._pairs += Counter(seats=sum(count for who, count in found.pairs.items() if who.isdigit()))
        self._pairs += Counter({who: count for who, count in found.pairs.items() if not who.isdigit()})
        if found.differences:
            self.differences[seed] = found.differences

    @property
    def pairs(self) -> int:
        """How many pairs there were."""
        return self._pairs.total()

    def row(self, seeds: range, cpu_s: float) -> str:
        """Return a row of the ledger."""
        observers = ", ".join(f"{who} {count:,}" for who, count in sorted(self._pairs.items()))
        games = ", ".join(f"{game} {count:,}" for game, count in sorted(self._games.items()))
        ran = f"{seeds.start} to {seeds.stop - 1}"
        counts = " | ".join(f"{count:,}" for count in (self._counts["matches"], self._counts["moments"], self.pairs))
        told = [
            f"{seed} {one.game}: {one.observer} by {one.what}"
            for seed, some in self.differences.items()
            for one in some
        ]
        found = "; ".join(told[:FOUND_MAX]) or "none"
        return f"| {commit()} | {machine()} | {ran} | {counts} | {cpu_s:,.0f} | {found} | {observers} | {games} |\n"
