"""Commands of a tournament over HTTP: `/tournaments/{id}/commands`."""

from __future__ import annotations

from typing import Final
from uuid import UUID

import msgspec
from litestar import Response, post
from litestar.params import FromPath

from domain.errors import TOURNAMENT_CODES
from services.api.dependencies import Dependencies
from services.api.requests import AnyRequest
from services.api.tournaments.announcing import response_of_tournament
from services.api.tournaments.askers import TournamentAsker
from services.api.tournaments.bodies import OF_DRAWERS, AnyTournamentAsk, command_asked
from services.api.tournaments.entering import HEADERS, TOKENS
from services.http import bodies
from services.http.injected import Injected
from services.tournaments.requests import TournamentAnswer

_ASKS: Final[msgspec.json.Decoder[AnyTournamentAsk]] = msgspec.json.Decoder(AnyTournamentAsk)
_OF_OTHERS: Final = (
    *("paused", "not_paused", "wrong_phase", "not_the_host", "too_few_players", "bad_time", "not_dealing"),
    *("wrong_deal", "unknown_player", "server_custody", "seed_already_given", "seed_mismatch", "not_allowed"),
    *("no_key", "bad_key", "key_taken", "bad_signature"),
)
"""Codes of matches that suit tournaments, too."""


@post(
    "/tournaments/{tournament_id:uuid}/commands",
    operation_id="ask_of_tournament",
    summary="Ask something of a tournament",
    status_code=200,
    security=[{"bearer": []}],
    opt={
        "answers": TournamentAnswer,
        "problems": (*HEADERS, *TOKENS, "not_a_drawer", *_OF_OTHERS, *TOURNAMENT_CODES),
    },
)
async def ask_of_tournament(
    tournament_id: FromPath[UUID],
    request: AnyRequest,
    parts: Injected[Dependencies],
    tournament_asker: Injected[TournamentAsker],
) -> Response[bytes]:
    """Ask something of a tournament; what somebody may ask depends on the token: host, arbiter or entrant.

    `number` may be left out by an entrant, who asks for the own one. A reason in words (`text`) is kept beside the log,
    which names it by its hash; with `restricted` only officials read it. What is said in an appeal, and in the
    decision on it, is read by whoever filed it and by officials, and by nobody else in any case.
    """
    asked: AnyTournamentAsk = bodies.read(request, tournament_asker.body, _ASKS)
    # Who draws lots may have been seated by another program since: that is read from the log, all else will do as kept.
    at_least = None if isinstance(asked, OF_DRAWERS) else 0
    tournament = (await parts.tournaments.load(tournament_id, at_least)).tournament
    command, beside = command_asked(asked, tournament_asker.bearer, tournament)
    return response_of_tournament(await parts.tournaments.submit(tournament_id, command, tournament_asker.ask, beside))
