"""CSV files of a tournament: pairings and results, for spreadsheets.

Lines end in CR LF, fields are quoted where they have to be, the text is to be sent as UTF-8. A cell that a spreadsheet
would work out as a formula begins with an apostrophe instead, which it shows as text; and since a fraction would be
read as a date there, points stand as a decimal beside a numerator and a denominator, which are exact.

Source: RFC 4180; on formulas OWASP, CSV Injection.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Final

from domain.tournaments.points import points_of
from domain.tournaments.tournament import Tournament
from projections.tournaments.numbers import ExactNumber
from projections.tournaments.people import Names
from projections.tournaments.rounds import TableSeat, TableView, round_view
from projections.tournaments.standings import StandingRow, StandingsView

Cell = str | int | None
FORMULA: Final = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""What a cell begins with that spreadsheets work out, wide signs among them."""
BOT: Final = "bot"
"""The last column of each: `yes` for who says of itself that it is a bot."""
PAIRINGS: Final = ("stage", "round", "table", "seat", "number", "name", "score", "state", "match", BOT)
RESULTS: Final = (
    *("stage", "round", "table", "attempt", "seat", "number", "name", "place", "points", "numerator", "denominator"),
    *("how", "ruled", "match", BOT),
)
STANDINGS: Final = ("place", "number", "name", "score", "numerator", "denominator", "status")


def pairings_csv(tournament: Tournament, names: Names, stage: int, number: int) -> str:
    """Return who sits where in a round, one who rests with no table.

    Raises:
        Refused: `not_paired`.
    """
    view = round_view(tournament, names, stage, number)
    place = (stage, number)
    rows: list[Sequence[Cell]] = [
        (
            *place,
            *(table.table, seat.seat, seat.number, seat.name, seat.score.shown, table.state, table.match),
            _yes_no(seat.bot),
        )
        for table in view.tables
        for seat in table.seats
    ]
    rows += [
        (*place, None, None, rest.number, rest.name, None, rest.kind, None, _yes_no(rest.bot)) for rest in view.resting
    ]
    return table_text(PAIRINGS, rows)


def results_csv(tournament: Tournament, names: Names) -> str:
    """Return what came of every table that has a result, and of byes, in the order of stages and rounds."""
    return table_text(RESULTS, _results(tournament, names))


def _results(tournament: Tournament, names: Names) -> Iterator[Sequence[Cell]]:
    for stage in tournament.stages:
        for number, held in sorted(stage.rounds.items()):
            if not held.is_paired:
                continue
            view = round_view(tournament, names, stage.number, number)
            place = (stage.number, number)
            for table in view.tables:
                if table.state == "over":
                    yield from ((*place, *_result(table, seat)) for seat in table.seats)
            for rest in view.resting:
                points = _points(rest.points)
                yield (
                    *place,
                    None,
                    None,
                    None,
                    rest.number,
                    rest.name,
                    None,
                    *points,
                    rest.kind,
                    "no",
                    None,
                    _yes_no(rest.bot),
                )


def _result(table: TableView, seat: TableSeat) -> Sequence[Cell]:
    assert seat.points is not None, "the table is over"
    how = "absent" if seat.absent else table.how or "ruled"
    return (
        table.table, table.attempt, seat.seat, seat.number, seat.name, seat.place, *_points(seat.points), how,
        _yes_no(table.ruling is not None), table.match, _yes_no(seat.bot),
    )  # fmt: skip


def standings_csv(view: StandingsView) -> str:
    """Return standings with their tie-breaks, each as a decimal; empty where it was not looked at."""
    rows = [
        (row.place, row.number, row.name, *_points(row.score), row.status, *_ties(row), _yes_no(row.bot))
        for row in view.rows
    ]
    return table_text((*STANDINGS, *view.tiebreaks, BOT), rows)


def _ties(row: StandingRow) -> Iterator[Cell]:
    for tie in row.ties:
        many = " ".join(each.shown for each in tie.places)
        yield (many or None) if tie.value is None else tie.value.shown


def _yes_no(said: bool) -> str:  # noqa: FBT001 - a cell of it
    return "yes" if said else "no"


def _points(number: ExactNumber) -> tuple[Cell, Cell, Cell]:
    exactly: Fraction = points_of(number.value)
    return number.shown, exactly.numerator, exactly.denominator


def table_text(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Return a table as CSV, its head first."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(head)
    for row in rows:
        writer.writerow([disarmed(cell) for cell in row])
    return out.getvalue()


def disarmed(cell: Cell) -> Cell:
    """Return a cell of which no spreadsheet makes a formula: a text that looks like one is one no more."""
    if not isinstance(cell, str) or _is_number(cell):
        return cell
    return f"'{cell}" if cell.startswith(FORMULA) else cell


def _is_number(text: str) -> bool:
    """Report whether a text is a decimal of ours, below nought perhaps."""
    whole, _, digits = text.removeprefix("-").partition(".")
    return (whole + digits).isdecimal() and text.isascii()
