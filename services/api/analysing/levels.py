"""Levels of the house: `/ladder`, how strong each is, and `/matches/{id}/bots`, how bots have taken their turns."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from litestar import Request, Response, get, route
from litestar.params import FromPath
from msgspec import Struct

from services.api.answers import json_of
from services.api.dependencies import Dependencies
from services.gauntlet.ladder import StrengthLadder, ladder
from services.http.documents import Documents
from services.http.injected import Injected
from services.matches.watching.bot_turns import ToldTurn

_AN_HOUR: Final = "public, max-age=3600"


@get(
    "/ladder",
    operation_id="show_ladder",
    summary="How strong the levels of the house are",
    opt={"answers": StrengthLadder, "unchanged": True},
)
async def show_ladder(request: Request[Any, Any, Any], documents: Injected[Documents]) -> Response[bytes]:
    """Return what each level scored against the one below, with intervals of 95 %, and where it claims to be stronger.

    Where a level falls back to the one below it is not measured, and where it is not measured it claims nothing.
    """
    return documents.answer(request, ladder, _AN_HOUR)


class BotsChoices(Struct, frozen=True):
    """How bots of the house have taken their turns in a match.

    Attributes:
        match: The match.
        turns: By version. Turns of a deal are here once it is over.
    """

    match: str
    turns: list[ToldTurn]


@get(
    "/matches/{match_id:uuid}/bots",
    operation_id="bot_turns",
    summary="How house bots took their turns",
    opt={"answers": BotsChoices, "problems": ("unknown_match",)},
)
async def bot_turns(match_id: FromPath[UUID], parts: Injected[Dependencies]) -> Response[bytes]:
    """Return by which level, and with which chance, bots of the house took each turn of deals that are over.

    A move follows from the frames of its seat and from the chance, so that anybody can work it out again: the chance is
    `HMAC-SHA256(secret, "truecup bot turn" LF match LF version LF mix)` of the deal.
    """
    return json_of(BotsChoices(str(match_id), await parts.matches.bot_turns(match_id)))


@route("/matches/{match_id:uuid}/bots", http_method="OPTIONS", status_code=204, include_in_schema=False)
async def methods() -> Response[None]:
    """Return both methods of the address; the framework's own answer knows only the first that was registered."""
    return Response(None, status_code=204, headers={"Allow": "GET, OPTIONS, POST"})
