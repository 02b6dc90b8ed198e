"""Sheets: what the dice of a match came to, as it is stored and handed out, so that anybody can add it up again."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from domain.ids import Version
from domain.statistics.deals import DealCounts
from domain.statistics.tallies import DiceTally, Of, TallyQuestion, What

NAME: Final = "statistics"
"""The name of the program that counts."""
ROWS: Final = "statistics/3"
"""The name of the rows: those of before count no deals, or the seeds of house bots among those that the house drew."""
TOTALS: Final = "totals"
"""The shelf of the total of each shard."""
SHEETS: Final = "sheets"
"""The shelf of the sheets of all matches that have rolled dice."""


class CountsRow(Struct, frozen=True, array_like=True):
    """The counts of one question, written as an array: sides, what, of which dice, which, counts, how many wait."""

    m: int
    what: What
    of: Of
    which: str
    counts: list[int]
    waiting: int


class Sums(Struct, frozen=True):
    """A tally, as JSON has it.

    Attributes:
        matches: Matches of which at least one deal is counted.
        deals: Deals that are counted.
        rows: The counts of each question.
        shown: Sides that play has shown of dice whose deals keep their secret, by number of sides.
        dealt: What became of deals, by whose tables they were dealt at: `people`, `bots`, or the id of a tournament.
    """

    matches: int
    deals: int
    rows: list[CountsRow]
    shown: dict[str, list[int]]
    dealt: dict[str, DealCounts] = {}


class Sheet(Struct, frozen=True):
    """What the dice of a match came to.

    Attributes:
        match: Its id.
        version: Up to which line it is counted.
        head: The hash of that line.
        players: The opaque id of the player in each seat, which belongs to one person in one match.
        sums: The counts; by seat they are those of its player.
    """

    match: str
    version: Version
    head: str
    players: dict[str, str]
    sums: Sums


def sums_of(tally: DiceTally) -> Sums:
    """Return a tally as JSON has it; the same for the same tally."""
    rows = [
        CountsRow(*question, tally.counts.get(question, [0] * question.cells), tally.waiting.get(question, 0))
        for question in sorted(tally.counts.keys() | tally.waiting.keys())
    ]
    return Sums(
        tally.matches, tally.deals, rows, {str(m): cells for m, cells in sorted(tally.shown.items())}, tally.dealt
    )


def tally_of(sums: Sums) -> DiceTally:
    """Return the tally that `sums_of` wrote down."""
    asked = [(TallyQuestion(row.m, row.what, row.of, row.which), row) for row in sums.rows]
    return DiceTally(
        sums.matches,
        sums.deals,
        {question: row.counts for question, row in asked if any(row.counts)},
        {question: row.waiting for question, row in asked if row.waiting},
        {int(m): cells for m, cells in sums.shown.items()},
        sums.dealt,
    )
