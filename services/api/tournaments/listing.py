"""Lists of entrants, `/tournaments/{id}/entrants/bulk`: everybody of a spreadsheet or of lines of JSON, or nobody.

Whatever is wrong is told of many rows at once: nobody mends a list of a thousand one refusal after the other.
"""

from __future__ import annotations

import asyncio
import csv
import io
from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Final, Literal
from uuid import UUID

import msgspec
from litestar import Response, post
from litestar.params import FromPath
from msgspec import Meta, Struct

from domain.faults import fault_of
from projections.tournaments.people import Names
from services.api.bodies import Body, lawful_name
from services.api.dependencies import Dependencies
from services.api.requests import AnyRequest
from services.api.tournaments.announcing import response_of_tournament
from services.api.tournaments.askers import TournamentAsker
from services.api.tournaments.bodies import SEED_MAX
from services.api.tournaments.entering import HEADERS, TOKENS
from services.api.tournaments.following import CSV
from services.api.tournaments.hooking import held_by
from services.http import bodies
from services.http.injected import Injected
from services.http.problems import HttpProblem
from services.matches.naming.law import taken_among
from services.tournaments.requests import TournamentAnswer
from services.tournaments.ways.lists import EntryRow

NDJSON: Final = "application/x-ndjson"
ROWS_MAX: Final = SEED_MAX
TOLD_MAX: Final = 100
"""Bad rows that an answer names: it stays far smaller than the list."""
DELIMITERS: Final = ",;\t"
"""What stands between the cells of a spreadsheet, by the country it was saved in."""
_ENTRY: Final = ("tournament_over", "wrong_phase", "entry_closed", "tournament_full", "entry_conditions", "name_taken")


class ListedEntrant(Body, frozen=True):
    """Somebody of a list."""

    name: Annotated[str, Meta(min_length=1, max_length=120)]
    club: Annotated[str, Meta(min_length=1, max_length=120)] | None = None
    seed: Annotated[int, Meta(ge=1, le=SEED_MAX)] | None = None
    custody: Literal["client", "server"] = "server"


class BadRow(Struct, frozen=True):
    """What is wrong with a row, which is counted from 1 with the names of the columns."""

    row: int
    code: str
    why: str


_LINE: Final = msgspec.json.Decoder(ListedEntrant)
_COLUMNS: Final = ListedEntrant.__struct_fields__


@post(
    "/tournaments/{tournament_id:uuid}/entrants/bulk",
    operation_id="enter_list",
    summary="Enter a whole list, or nobody",
    security=[{"bearer": []}],
    opt={
        "takes": (CSV, NDJSON),
        "answers": TournamentAnswer,
        "problems": (*HEADERS, *TOKENS, *_ENTRY, "not_an_official", "not_the_host", "bad_list"),
    },
)
async def enter_list(
    tournament_id: FromPath[UUID],
    request: AnyRequest,
    parts: Injected[Dependencies],
    list_asker: Injected[TournamentAsker],
) -> Response[bytes]:
    """Enter everybody of a list of at most 4,096 rows and 1 MiB. The answer holds the token of each, in their order.

    A spreadsheet (`text/csv`) has the names of its columns first: `name`, and if need be `club`, `seed` and `custody`;
    lines of JSON (`application/x-ndjson`) have the same members. If anything is wrong nobody is entered, `rows` says of
    the first 100 bad rows what it is, and `wrong` how many there are. A repeat with the same Idempotency-Key and list
    gets the same tokens.
    """
    tournament, ask = await held_by(parts, tournament_id, list_asker.bearer), list_asker.ask
    answer = await parts.tournaments.answered(tournament_id, ask)
    if answer is None:
        listed = await asyncio.to_thread(_rows_in, bodies.media_type_of_body(request), list_asker.body)
        rows = await asyncio.to_thread(_lawful, listed, await parts.tournaments.names(tournament))
        answer = await parts.tournaments.register_all(tournament_id, list_asker.bearer.by, rows, ask)
    return response_of_tournament(answer, 201)


def _rows_in(media_type: str, body: bytes) -> list[tuple[int, ListedEntrant]]:
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
        raise _bad(BadRow(body[: trouble.start].count(b"\n") + 1, "malformed", "this is not UTF-8")) from trouble
    found = [*islice(readers[media_type](text), ROWS_MAX + 1)]
    if len(found) > ROWS_MAX:
        surplus = found[-1].row if isinstance(found[-1], BadRow) else found[-1][0]
        raise _bad(BadRow(surplus, "malformed", f"a list has 1 to {ROWS_MAX} rows, and this is one more"))
    wrong = [one for one in found if isinstance(one, BadRow)]
    if wrong:
        raise _bad(*wrong)
    if not found:
        raise _bad(BadRow(0, "malformed", f"a list has 1 to {ROWS_MAX} rows, and this one has none"))
    return [one for one in found if not isinstance(one, BadRow)]


def _bad(*rows: BadRow) -> HttpProblem:
    return HttpProblem("bad_list", rows=msgspec.to_builtins(rows[:TOLD_MAX]), wrong=len(rows))


Read = Iterator[tuple[int, ListedEntrant] | BadRow]


def _rows_of_lines(text: str) -> Read:
    """Yield the rows of lines of JSON; empty lines are none."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield number, _LINE.decode(line)
            except msgspec.ValidationError as error:
                yield _malformed(number, error)
            except (msgspec.DecodeError, RecursionError):
                yield BadRow(number, "malformed", "this is not JSON")


def _rows_of_sheet(text: str) -> Read:
    """Yield the rows of a spreadsheet; empty rows are none, and empty cells say nothing."""
    delimiter = max(DELIMITERS, key=text.partition("\n")[0].partition("\r")[0].count)
    sheet = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        columns = [name.strip().casefold() for name in next(sheet, [])]
        unknown = [name for name in columns if name not in _COLUMNS]
        if unknown or "name" not in columns or len(set(columns)) < len(columns):
            known = ", ".join(_COLUMNS)
            yield BadRow(1, "malformed", f"the first row names the columns, each once, `name` among them: {known}")
            return
        for number, cells in enumerate(sheet, start=2):
            if any(cell.strip() for cell in cells):
                yield _row_of_cells(number, columns, cells)
    except csv.Error as trouble:
        yield BadRow(sheet.line_num, "malformed", str(trouble))


def _row_of_cells(number: int, columns: list[str], cells: list[str]) -> tuple[int, ListedEntrant] | BadRow:
    if len(cells) > len(columns) and any(cell.strip() for cell in cells[len(columns) :]):
        return BadRow(number, "malformed", f"there are {len(columns)} columns, and this row has {len(cells)} cells")
    said = {name: cell.strip() for name, cell in zip(columns, cells, strict=False) if cell.strip()}
    try:
        return number, msgspec.convert(said, ListedEntrant, strict=False)
    except msgspec.ValidationError as error:
        return _malformed(number, error)


def _malformed(number: int, error: msgspec.ValidationError) -> BadRow:
    fault = fault_of(error)
    return BadRow(number, "malformed", f"{fault.named}: {fault.why}" if fault.named else fault.why)


def _lawful(listed: list[tuple[int, ListedEntrant]], called: Names) -> list[EntryRow]:
    """Return what a list asks for, with names in their normal form.

    Raises:
        HttpProblem: `bad_list`, with every name that nobody can have.
    """
    wrong, rows = list[BadRow](), list[EntryRow]()
    for number, one in listed:
        try:
            name = lawful_name(one.name)
        except HttpProblem as trouble:
            wrong.append(BadRow(number, trouble.code, trouble.detail))
            name = one.name
        rows.append(EntryRow(name, one.club, one.seed, one.custody))
    for place, holder in taken_among([row.name for row in rows], called):
        whose = "somebody else of the list is called that" if holder is None else f"number {holder} is called that"
        wrong.append(BadRow(listed[place][0], "name_taken", whose))
    if wrong:
        raise _bad(*sorted(wrong, key=lambda one: one.row))
    return rows
