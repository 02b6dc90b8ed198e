"""Lists of entrants, `/tournaments/{id}/entrants/bulk`: everybody of a spreadsheet or of lines of JSON, or nobody."""

from __future__ import annotations

import asyncio
from typing import Annotated, Final, Literal
from uuid import UUID

import msgspec
from litestar import Response, post
from litestar.params import FromPath
from msgspec import Meta

from domain.tournaments.commands import SEED_MAX
from projections.tournaments.people import Names
from services.api.bodies import Body, lawful_name
from services.api.dependencies import Dependencies
from services.api.lists.reading import CSV, NDJSON, BadRow, bad_list, rows_in
from services.api.requests import AnyRequest
from services.api.tournaments.announcing import response_of_tournament
from services.api.tournaments.askers import TournamentAsker
from services.api.tournaments.entering import HEADERS, TOKENS
from services.api.tournaments.hooking import held_by
from services.http import bodies
from services.http.injected import Injected
from services.http.problems import HttpProblem
from services.matches.naming.law import taken_among
from services.tournaments.requests import TournamentAnswer
from services.tournaments.ways.lists import EntryRow

ROWS_MAX: Final = SEED_MAX
PLAYER: Final = "player"
"""What no list has, though a single entry does."""
NO_TOKENS: Final = "a list takes no tokens of players: each is a secret, with which its owner enters alone"
_ENTRY: Final = ("tournament_over", "wrong_phase", "entry_closed", "tournament_full", "entry_conditions", "name_taken")


class ListedEntrant(Body, frozen=True):
    """Somebody of a list."""

    name: Annotated[str, Meta(min_length=1, max_length=120)]
    club: Annotated[str, Meta(min_length=1, max_length=120)] | None = None
    seed: Annotated[int, Meta(ge=1, le=SEED_MAX)] | None = None
    custody: Literal["client", "server"] = "server"


_LINE: Final = msgspec.json.Decoder(ListedEntrant)
_COLUMNS: Final = ListedEntrant.__struct_fields__


class _Entrants:
    """Rows with an entrant each."""

    most = ROWS_MAX

    def of_line(self, line: str) -> ListedEntrant:
        return _LINE.decode(line)

    def why_not(self, columns: list[str]) -> str | None:
        if set(columns) <= {*_COLUMNS} and "name" in columns and len(set(columns)) == len(columns):
            return None
        if PLAYER in columns:
            return NO_TOKENS
        return f"the first row names the columns, each once, `name` among them: {', '.join(_COLUMNS)}"

    def of_cells(self, cells: dict[str, str]) -> ListedEntrant:
        return msgspec.convert(cells, ListedEntrant, strict=False)


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
    lines of JSON (`application/x-ndjson`) have the same members. Tokens of players stand in none: each of them is known
    to its owner alone, who enters with it, so nobody is entered by a list where players alone may enter. If anything is
    wrong nobody is entered, `rows` says of the first 100 bad rows what it is, and `wrong` how many there are. A repeat
    with the same Idempotency-Key and list gets the same tokens.
    """
    tournament, ask = await held_by(parts, tournament_id, list_asker.bearer), list_asker.ask
    answer = await parts.tournaments.answered(tournament_id, ask)
    if answer is None:
        listed = await asyncio.to_thread(rows_in, bodies.media_type_of_body(request), list_asker.body, _Entrants())
        rows = await asyncio.to_thread(_lawful, listed, await parts.tournaments.names(tournament))
        answer = await parts.tournaments.register_all(tournament_id, list_asker.bearer.by, rows, ask)
    return response_of_tournament(answer, 201)


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
        raise bad_list(*sorted(wrong, key=lambda one: one.row))
    return rows
