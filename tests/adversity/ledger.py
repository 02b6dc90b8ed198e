"""The ledger of mishaps: long runs, each with its commit, its machine, its counts and whatever was found."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from msgspec import Struct

from tests.ledgers import append, commit, machine

LEDGER: Final = Path(__file__).with_name("ledger.md")


class Account(Struct, kw_only=True):
    """What came of a mishap that happened again and again.

    Attributes:
        mishap: Its name.
        times: How often it happened.
        commands: How many commands were answered.
        repeats: How often one had to be sent again before it was.
        matches: How many were played to their end, audited, and held against what had been said.
        frames: How many versions were shown to people who watched.
        back_ms: The longest that any table stood still once the mishap was over.
        slowest_ms: The longest that anybody waited for an answer, mishaps included.
        cpu_s: What that took of a processor, without the servers.
        broken: What promise did not hold, in words.
    """

    mishap: str
    times: int = 0
    commands: int = 0
    repeats: int = 0
    matches: int = 0
    frames: int = 0
    back_ms: float = 0.0
    slowest_ms: float = 0.0
    cpu_s: float = 0.0
    broken: list[str] = []

    def row(self) -> str:
        """Return a row of the ledger."""
        counts = (self.times, self.commands, self.repeats, self.matches, self.frames)
        figures = (*counts, self.back_ms, self.slowest_ms, self.cpu_s)
        told = " | ".join(f"{figure:,.0f}" for figure in figures)
        found = "; ".join(self.broken).replace("|", "/").replace("\n", " ") or "none"
        return f"| {commit()} | {machine()} | {self.mishap} | {told} | {found} |\n"


def write(account: Account) -> None:
    """Write a row behind those that are there."""
    append(account.row(), LEDGER)
