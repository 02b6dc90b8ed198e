"""Matches in bulk, `/matches/bulk`: all tables of a spreadsheet or of lines of JSON, or none."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any, Final, Literal, cast

import msgspec
import regex
from litestar import Response, post
from msgspec import UNSET, Meta

from domain.errors import Refused
from infra.clock import now_ms
from infra.store import Card, Choices
from services.api.answers import json_of
from services.api.bodies import Body, RulesAsked, lawful_name
from services.api.dependencies import Dependencies
from services.api.lists.reading import CSV, LIST_MAX, NDJSON, TOLD_MAX, BadRow, bad_list, rows_in
from services.api.requests import AnyRequest, check_earning, house_of, identity_of
from services.http import bodies
from services.http.front.addresses import network_of
from services.http.front.rates import Rate
from services.http.injected import Injected
from services.http.problems import HttpProblem
from services.matches.naming.law import taken_among
from services.matches.requests import ANONYMOUS, CommandMetadata
from services.matches.tables.bulk import SEATS_MAX, TABLES_MAX, BadTables, BulkAnswer, BulkTable

AHEAD_MAX_MS: Final = 7 * 86_400_000
"""How far ahead a table may be opened: a week."""
NAMES_MAX: Final = 254
FREE_MAX: Final = 4_096
"""The longest list, in bytes, that costs nothing if it is refused: a long one may be dear to read."""
_TEXT = Annotated[str, Meta(min_length=1, max_length=120)]
_SEAT: Final = regex.compile(r"seat ([1-9][0-9]{0,2})")


class ListedTable(Body, frozen=True):
    """A table of a list.

    Attributes:
        rules: Its rules. Of `seats` it has as many as `names`, if nothing is said.
        policy: What a deal publishes when it ends.
        name: What people shall call the table.
        names: What those are called who sit there from the first, in seat order; other seats are for whoever comes.
        starts_at: When it starts with whoever has a seat, in Unix milliseconds, at most a week ahead; else its host
            starts it, as any other table.
        custody: `client` if the programs of those players commit and open the seeds of their seats.
        private: Whether the table is in no list, and takes an invitation of whoever else sits down.
        choices: What the host chooses that no rule depends on.
    """

    rules: RulesAsked
    policy: Literal["all", "shown"] = "all"
    name: _TEXT | None = None
    names: Annotated[tuple[_TEXT, ...], Meta(max_length=NAMES_MAX)] = ()
    starts_at: Annotated[int, Meta(ge=0)] | None = None
    custody: Literal["client", "server"] = "server"
    private: bool = False
    choices: Choices = Choices()


class SheetRow(Body, frozen=True):
    """The cells of a row that are not those of seats: what `ListedTable` has, the time as people write it."""

    game: Annotated[str, Meta(min_length=1, max_length=40)]
    seats: Annotated[int, Meta(ge=2, le=254)] | None = None
    name: _TEXT | None = None
    starts_at: Annotated[datetime, Meta(tz=True)] | None = None
    custody: Literal["client", "server"] = "server"
    private: bool = False


_LINE: Final = msgspec.json.Decoder(ListedTable)
_COLUMNS: Final = SheetRow.__struct_fields__


class _Tables:
    """Rows with a table each."""

    most = TABLES_MAX

    def of_line(self, line: str) -> ListedTable:
        return _LINE.decode(line)

    def why_not(self, columns: list[str]) -> str | None:
        if "game" in columns and all(name in _COLUMNS or _SEAT.fullmatch(name) for name in columns):
            return None
        known = ", ".join(_COLUMNS)
        return f"the first row names the columns, `game` among them: {known}, `seat 1`, `seat 2` and so on"

    def of_cells(self, cells: dict[str, str]) -> ListedTable:
        seats = sorted((int(found[1]), text) for name, text in cells.items() if (found := _SEAT.fullmatch(name)))
        plain = {name: text for name, text in cells.items() if name in _COLUMNS}
        row = msgspec.convert(plain, SheetRow, strict=False)
        starts_at = None if row.starts_at is None else int(row.starts_at.timestamp() * 1000)
        names = msgspec.convert([text for _, text in seats], Annotated[tuple[_TEXT, ...], Meta(max_length=NAMES_MAX)])
        rules = RulesAsked(game=row.game, seats=UNSET if row.seats is None else row.seats)
        return ListedTable(rules, "all", row.name, names, starts_at, row.custody, row.private)


@post(
    "/matches/bulk",
    operation_id="open_matches",
    summary="Open a whole list of matches, or none",
    opt={
        "dear": True,
        "takes": (CSV, NDJSON),
        "answers": BulkAnswer,
        "problems": (
            *("bad_idempotency_key", "weak_idempotency_key", "bad_if_match", "key_reused"),
            *("bad_list", "too_many_tables"),
        ),
    },
)
async def open_matches(request: AnyRequest, parts: Injected[Dependencies]) -> Response[bytes]:
    """Open all tables of a list of at most 500 rows and 1 MiB, with at most 4,096 people at them, or none.

    Lines of JSON (`application/x-ndjson`) have `rules` as `POST /matches` takes them, and if need be `names`,
    `starts_at`, `name`, `policy`, `custody`, `private` and `choices`. A spreadsheet (`text/csv`) has the names of its
    columns first: `game`, and if need be `seats`, `name`, `starts_at` as ISO 8601 with its offset from UTC, `custody`,
    `private`, and `seat 1`, `seat 2` and so on, with what those are called who sit there. If anything is wrong no table
    is opened, and `rows` says of the first 100 bad rows what it is.

    The answer has the token of each host and of each seat, shown only here; whoever opens the tables hands them on. A
    table with a time starts then with whoever has a seat, or is over if too few have; until then seats that nobody has
    are open to all, or to those with its invitation. It needs the rule for those who stop (`idle`): who does not come
    is out by that.

    One network may have 500 tables so that wait for their time. A list that is refused counts for no limit of tables,
    and one of at most 4 KiB for none of commands. A repeat with the same Idempotency-Key and list gets the same tokens.
    """
    _, rates = house_of(request)
    quota, network = Rate(parts.bounds.writes_per_s), network_of(request.scope)
    rates.check("writes", quota, network)
    is_free = True
    try:
        ask, body = await identity_of(request, ANONYMOUS, most=LIST_MAX)
        is_free = len(body) <= FREE_MAX
        answer = await _open(request, parts, ask, body)
        is_free = False
    finally:
        if is_free:
            rates.give_back("writes", quota, network)
    return json_of(answer, 201, {"Cache-Control": "no-store"})


async def _open(request: AnyRequest, parts: Dependencies, ask: CommandMetadata, body: bytes) -> BulkAnswer:
    """Read a list and open its tables.

    Raises:
        HttpProblem: `weak_idempotency_key`, `bad_media_type`, `bad_list`.
        Refused: `too_many_tables`.
        KeyUsed: The key belongs to another request.
    """
    check_earning(ask)
    answer = await parts.matches.opened_all(ask)
    if answer is not None:
        return answer
    listed = await asyncio.to_thread(rows_in, bodies.media_type_of_body(request), body, _Tables())
    tables = await asyncio.to_thread(_lawful, listed, now_ms())
    try:
        return await parts.matches.open_all(tables, ask)
    except BadTables as bad:
        raise bad_list(*(_refused(listed[place][0], why) for place, why in bad.refused)) from bad


def _refused(row: int, refused: Refused) -> BadRow:
    facts = refused.facts
    why = f"{facts['option']}: {facts['why']}" if "option" in facts else str(refused)
    return BadRow(row, refused.code, why)


def _lawful(listed: list[tuple[int, ListedTable]], now: int) -> list[BulkTable]:
    """Return the tables of a list, with names in their normal form.

    Raises:
        HttpProblem: `bad_list`: too many names, before one of them is looked at; or what is wrong with names and
            times, and no more is looked at than an answer tells.
    """
    if sum(len(row.names) for _, row in listed) > SEATS_MAX:
        raise bad_list(BadRow(listed[-1][0], "malformed", f"at most {SEATS_MAX} people sit at all tables together"))
    tables, wrong = list[BulkTable](), list[BadRow]()
    for number, row in listed:
        found = list(_made_of(number, row, now))
        tables += [one for one in found if isinstance(one, BulkTable)]
        wrong += [one for one in found if isinstance(one, BadRow)]
        if len(wrong) >= TOLD_MAX:
            break
    if wrong:
        raise bad_list(*wrong)
    return tables


def _made_of(number: int, row: ListedTable, now: int) -> Iterator[BulkTable | BadRow]:
    """Yield what is wrong with a row, or the table."""
    names, wrong = list[str](), list[BadRow]()
    for text in (*row.names, *(() if row.name is None else (row.name,))):
        try:
            names.append(lawful_name(text))
        except HttpProblem as trouble:
            wrong.append(BadRow(number, trouble.code, trouble.detail))
    if row.starts_at is not None and not now < row.starts_at <= now + AHEAD_MAX_MS:
        wrong.append(BadRow(number, "bad_options", "starts_at: this is not within the next seven days"))
    if wrong:
        yield from wrong
        return
    called = names.pop() if row.name is not None else None
    if any(taken_among(names, {})):
        yield BadRow(number, "name_taken", "somebody else at this table is called that, or looks like it")
        return
    yield BulkTable(_rules_of(row), row.policy, Card(called, not row.private, row.choices), tuple(names), row.custody)


def _rules_of(row: ListedTable) -> dict[str, Any]:
    rules = cast("dict[str, Any]", msgspec.to_builtins(row.rules))
    seats = {} if not row.names or "seats" in rules else {"seats": max(2, len(row.names))}
    return {**rules, **seats, **({} if row.starts_at is None else {"starts_at": row.starts_at})}
