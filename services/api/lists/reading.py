"""Lists in the bodies of requests: spreadsheets and lines of JSON, taken as a whole or not at all.

Whatever is wrong is told of many rows at once: nobody mends a list of a thousand one refusal after the other.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import islice
from typing import Final, Protocol, TypeVar

import msgspec
from msgspec import Struct

from domain.faults import fault_of
from services.http.problems import HttpProblem

CSV: Final = "text/csv"
NDJSON: Final = "application/x-ndjson"
LIST_MAX: Final = 2**20
"""The longest list, in bytes: 4,096 people with long names and clubs."""
TOLD_MAX: Final = 100
"""Bad rows that an answer names: it stays far smaller than the list."""
DELIMITERS: Final = ",;\t"
"""What stands between the cells of a spreadsheet, by the country it was saved in."""

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class BadRow(Struct, frozen=True):
    """What is wrong with a row, which is counted from 1 with the names of the columns."""

    row: int
    code: str
    why: str


class Rows(Protocol[T_co]):
    """What the rows of a list are."""

    @property
    def most(self) -> int:
        """How many there may be."""

    def of_line(self, line: str) -> T_co:
        """Return what a line of JSON says; raise as the decoder does."""

    def why_not(self, columns: list[str]) -> str | None:
        """Return what is wrong with the names of a spreadsheet's columns, which are small letters."""

    def of_cells(self, cells: dict[str, str]) -> T_co:
        """Return what the cells of a row say that are not empty; raise as the decoder does."""


def rows_in(media_type: str, body: bytes, form: Rows[T]) -> list[tuple[int, T]]:
    """Return the rows of a list, each with its number; of one that is too long, no more is read than shows it.

    Raises:
        HttpProblem: `bad_media_type`; `bad_list`.
    """
    readers = {CSV: _rows_of_sheet, NDJSON: _rows_of_lines}
    if media_type not in readers:
        raise HttpProblem("bad_media_type", f"a list is {CSV} or {NDJSON}")
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as trouble:
        raise bad_list(BadRow(body[: trouble.start].count(b"\n") + 1, "malformed", "this is not UTF-8")) from trouble
    found = [*islice(readers[media_type](text, form), form.most + 1)]
    if len(found) > form.most:
        surplus = found[-1].row if isinstance(found[-1], BadRow) else found[-1][0]
        raise bad_list(BadRow(surplus, "malformed", f"a list has 1 to {form.most} rows, and this is one more"))
    wrong = [one for one in found if isinstance(one, BadRow)]
    if wrong:
        raise bad_list(*wrong)
    if not found:
        raise bad_list(BadRow(0, "malformed", f"a list has 1 to {form.most} rows, and this one has none"))
    return [one for one in found if not isinstance(one, BadRow)]


def bad_list(*rows: BadRow) -> HttpProblem:
    """Return the refusal of a list with these bad rows, the first of which it names: `bad_list`."""
    return HttpProblem("bad_list", rows=msgspec.to_builtins(rows[:TOLD_MAX]), wrong=len(rows))


def _rows_of_lines(text: str, form: Rows[T]) -> Iterator[tuple[int, T] | BadRow]:
    """Yield the rows of lines of JSON; empty lines are none."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield number, form.of_line(line)
            except msgspec.ValidationError as error:
                yield _malformed(number, error)
            except (msgspec.DecodeError, RecursionError):
                yield BadRow(number, "malformed", "this is not JSON")


def _rows_of_sheet(text: str, form: Rows[T]) -> Iterator[tuple[int, T] | BadRow]:
    """Yield the rows of a spreadsheet; empty rows are none, and empty cells say nothing."""
    delimiter = max(DELIMITERS, key=text.partition("\n")[0].partition("\r")[0].count)
    sheet = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        columns = [name.strip().casefold() for name in next(sheet, [])]
        why = form.why_not(columns)
        if why is not None or len(set(columns)) < len(columns):
            yield BadRow(1, "malformed", why or "the first row names each column once")
            return
        for number, cells in enumerate(sheet, start=2):
            if any(cell.strip() for cell in cells):
                yield _row_of_cells(number, columns, cells, form)
    except csv.Error as trouble:
        yield BadRow(sheet.line_num, "malformed", str(trouble))


def _row_of_cells(number: int, columns: list[str], cells: list[str], form: Rows[T]) -> tuple[int, T] | BadRow:
    if len(cells) > len(columns) and any(cell.strip() for cell in cells[len(columns) :]):
        return BadRow(number, "malformed", f"there are {len(columns)} columns, and this row has {len(cells)} cells")
    said = {name: cell.strip() for name, cell in zip(columns, cells, strict=False) if cell.strip()}
    try:
        return number, form.of_cells(said)
    except msgspec.ValidationError as error:
        return _malformed(number, error)


def _malformed(number: int, error: msgspec.ValidationError) -> BadRow:
    fault = fault_of(error)
    return BadRow(number, "malformed", f"{fault.named}: {fault.why}" if fault.named else fault.why)
