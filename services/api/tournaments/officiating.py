"""Routes of officials: words that they erase, and tables at which nobody can play until they do something."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from litestar import Response, delete, get
from litestar.params import FromPath
from msgspec import Struct

from domain.errors import Refused
from services.api.answers import json_of
from services.api.dependencies import Dependencies
from services.api.tournaments.askers import TournamentAsker
from services.api.tournaments.entering import HEADERS, TOKENS
from services.http.injected import Injected
from services.http.problems import HttpProblem
from services.tournaments.requests import TournamentBearer


class ErasedNote(Struct, frozen=True):
    """What became of a reason in words.

    Attributes:
        note: The hash by which lines name it.
        erased: Whether there was one; it is gone in any case.
    """

    note: str
    erased: bool


@delete(
    "/tournaments/{tournament_id:uuid}/notes/{note:str}",
    operation_id="erase_note",
    summary="Erase a reason in words",
    status_code=200,
    security=[{"bearer": []}],
    opt={"answers": ErasedNote, "problems": (*HEADERS, *TOKENS, "not_an_official", "own_ruling")},
)
async def erase_note(
    tournament_id: FromPath[UUID],
    note: FromPath[str],
    parts: Injected[Dependencies],
    tournament_asker: Injected[TournamentAsker],
) -> Response[bytes]:
    """Erase a text with its salt, for officials. The line that names its hash stays, and so does every proof.

    What an open appeal says against a ruling is erased by another official than who ruled, if there is one.
    """
    erased = await parts.tournaments.erase_note(tournament_id, note, tournament_asker.bearer.by)
    return json_of(ErasedNote(note, erased), headers={"Cache-Control": "no-store"})


class TableTrouble(Struct, frozen=True):
    """A table at which nobody can play.

    Attributes:
        match: The match that has its place.
        why: `another_match`: somebody else has opened it, under other rules. The round does not start; tables that are
            taken back get matches of other ids.
    """

    stage: int
    round: int
    table: int
    match: UUID
    why: Literal["another_match"] = "another_match"


@get(
    "/tournaments/{tournament_id:uuid}/troubles",
    operation_id="troubles_of_tournament",
    summary="Tables at which nobody can play",
    security=[{"bearer": []}],
    opt={
        "answers": list[TableTrouble],
        "problems": ("unknown_tournament", "no_token", "bad_token", "foreign_token", "not_an_official"),
    },
)
async def troubles_of_tournament(
    tournament_id: FromPath[UUID],
    parts: Injected[Dependencies],
    tournament_viewer: Injected[TournamentBearer | None],
) -> Response[bytes]:
    """Return, for officials, the tables whose place another match has: the director cannot open theirs."""
    if tournament_viewer is None:
        raise HttpProblem("no_token")
    if tournament_viewer.by not in (await parts.tournaments.load(tournament_id)).tournament.officials:
        raise Refused("not_an_official")
    found = [
        TableTrouble(at.stage, at.held.number, at.table.number, at.id)
        for at in await parts.tournaments.taken_places(tournament_id)
    ]
    return json_of(found, headers={"Cache-Control": "no-store"})
