"""Previews over HTTP: `/tournaments/{id}/preview`, the next round as it would be paired now, for officials."""

from __future__ import annotations

import asyncio
from uuid import UUID

from litestar import Response, post
from litestar.params import FromPath

from domain.errors import Refused
from domain.tournaments.tournament import Tournament
from projections.tournaments.officials.previews import PreviewOfRound, preview_of
from projections.tournaments.people import Names
from services.api.answers import json_of
from services.api.dependencies import Dependencies
from services.api.tournaments.askers import TournamentAsker
from services.api.tournaments.entering import HEADERS, TOKENS
from services.audit.dutch import given_pairing
from services.http.etags import etag
from services.http.injected import Injected


@post(
    "/tournaments/{tournament_id:uuid}/preview",
    operation_id="preview_round",
    summary="The next round, as it would be paired now",
    status_code=200,
    security=[{"bearer": []}],
    opt={
        "dear": True,
        "answers": PreviewOfRound,
        "problems": (
            *(*HEADERS, *TOKENS, "not_an_official", "wrong_phase"),
            *("round_open", "already_paired", "cannot_pair"),
        ),
    },
)
async def preview_round(
    tournament_id: FromPath[UUID],
    parts: Injected[Dependencies],
    tournament_asker: Injected[TournamentAsker],
) -> Response[bytes]:
    """Return who would sit where, by lots of zeros, with the cost beside its bound. It is stored nowhere.

    The real lots may lead to other tables, of the same cost, or about that where the law searches. Ask again after
    whatever was fixed or forbidden.
    """
    tournament = (await parts.tournaments.load(tournament_id)).tournament
    if tournament_asker.bearer.by not in tournament.officials:
        raise Refused("not_an_official")
    found = await asyncio.to_thread(_preview, tournament, await parts.tournaments.names(tournament))
    return json_of(found, headers={"ETag": etag(tournament.version), "Cache-Control": "no-store"})


def _preview(tournament: Tournament, names: Names) -> PreviewOfRound:
    return preview_of(tournament, names, given_pairing(tournament))
