"""The ledger of nonsense: long runs, each with its commit, its machine, its counts and whatever was found."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.ledgers import commit, machine
from tests.malformed.tally import Tally

LEDGER: Final = Path(__file__).with_name("ledger.md")
FOUND_MAX: Final = 3
"""Finds that a row names."""
SAID_MAX: Final = 12
"""Answers that it counts, the most frequent first."""


def row(door: str, numbers: range, tally: Tally, cpu_s: float) -> str:
    """Return a row of the ledger."""
    said = ", ".join(f"{what} {count:,}" for what, count in tally.said.most_common(SAID_MAX))
    found = "; ".join(what[:80].replace("|", "/") for what in tally.found[:FOUND_MAX]) or "none"
    ran = f"{numbers.start} to {numbers.stop - 1}"
    counts = " | ".join(f"{count:,}" for count in (tally.inputs, tally.accepted, tally.moves))
    slow = f"{tally.worst_ms:,.0f} | {len(tally.slow):,}"
    return f"| {commit()} | {machine()} | {door} | {ran} | {counts} | {slow} | {cpu_s:,.0f} | {found} | {said} |\n"
