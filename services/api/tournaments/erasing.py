"""Erasing what was said beside the lines of a tournament: `/tournaments/{id}/notes/{note}`."""

from __future__ import annotations

from uuid import UUID

from litestar import Response, delete
from litestar.params import FromPath
from msgspec import Struct

from services.api.answers import json_of
from services.api.dependencies import Dependencies
from services.api.tournaments.askers import TournamentAsker
from services.api.tournaments.entering import HEADERS, TOKENS
from services.http.injected import Injected


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
    opt={"answers": ErasedNote, "problems": (*HEADERS, *TOKENS, "not_an_official")},
)
async def erase_note(
    tournament_id: FromPath[UUID],
    note: FromPath[str],
    parts: Injected[Dependencies],
    tournament_asker: Injected[TournamentAsker],
) -> Response[bytes]:
    """Erase a text with its salt, for officials. The line that names its hash stays, and so does every proof."""
    erased = await parts.tournaments.erase_note(tournament_id, note, tournament_asker.bearer.by)
    return json_of(ErasedNote(note, erased), headers={"Cache-Control": "no-store"})
