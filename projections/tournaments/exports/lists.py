"""Lists to print and hang up: pairings by name, for whoever looks for a table, and by table, for who goes round."""

from __future__ import annotations

from msgspec import Struct

from projections.tournaments.exports.alphabet import alphabet_key
from projections.tournaments.rounds import RoundView


class NameLine(Struct, frozen=True):
    """Where somebody sits; who has no table has a `rest` instead: `bye`, `half`, `zero`, `late`."""

    name: str
    number: int
    table: int | None
    seat: int | None
    rest: str | None


class TableLine(Struct, frozen=True):
    """Who sits at a table, in seat order: the first opens."""

    table: int
    names: tuple[str, ...]
    numbers: tuple[int, ...]


def by_name(view: RoundView, language: str = "en") -> tuple[NameLine, ...]:
    """Return everybody of a round, in the order in which people of a language look names up."""
    lines = [
        NameLine(seat.name, seat.number, table.table, seat.seat, None) for table in view.tables for seat in table.seats
    ]
    lines += [NameLine(rest.name, rest.number, None, None, rest.kind) for rest in view.resting]
    return tuple(sorted(lines, key=lambda line: (alphabet_key(line.name, language), line.number)))


def by_table(view: RoundView) -> tuple[TableLine, ...]:
    """Return the tables of a round, by number."""
    return tuple(
        TableLine(table.table, tuple(seat.name for seat in table.seats), tuple(seat.number for seat in table.seats))
        for table in view.tables
    )
