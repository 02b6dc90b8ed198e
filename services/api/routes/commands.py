"""Playing: `/matches/{id}/commands`."""

from __future__ import annotations

from typing import Final
from uuid import UUID

import msgspec
from litestar import post
from litestar.params import FromPath
from litestar.types import ASGIApp

from domain.errors import CODES
from services.api.answers import accepted_response
from services.api.bodies import AnyPlay
from services.api.playing import HandsIn, answer_handed_in, answer_play
from services.api.requests import AnyRequest, asker_by, house_of, stranger, token_of
from services.http import bodies
from services.http.problems import HttpProblem
from services.matches.requests import Answer

_PLAYS: Final[msgspec.json.Decoder[AnyPlay]] = msgspec.json.Decoder(AnyPlay)

_OF_THE_LOBBY: Final = frozenset(
    {
        *("bad_options", "name_taken", "too_few_players", "too_many_players", "too_many_tables"),
        *("needs_invite", "not_over", "never_played", "locked"),
    }
)


@post(
    "/matches/{match_id:uuid}/commands",
    operation_id="play",
    summary="Play",
    status_code=200,
    security=[{"bearer": []}, {}],
    opt={
        "answers": Answer,
        "problems": (
            *("bad_idempotency_key", "bad_if_match", "key_reused", "version_passed", "unknown_match"),
            "not_understood",
            *("no_token", "bad_token", "foreign_token", "not_a_seat"),
            *(code for code in CODES if code not in _OF_THE_LOBBY),
        ),
    },
)
async def play(match_id: FromPath[UUID], request: AnyRequest) -> ASGIApp:
    """Ask something of a running match; what a seat may ask now stands in the `moves` of its view.

    What a seat has signed, with `signed.seat`, may be handed in by whoever has it, without its token or with another
    one, but not how dice are handled. He learns whether it was taken, and the receipt.
    """
    matches, token = house_of(request)[0].matches, token_of(request)
    if token is None:
        return accepted_response(await _hand_in(match_id, request, matches))
    # Asked for by hand, and answered by hand: most of what a house is sent comes this way, and what the framework does
    # for a dependency and a response costs a half of a bare route.
    who = await asker_by(token, request, match_id)
    asked: AnyPlay = bodies.read(request, who.body, _PLAYS)
    return accepted_response(await answer_play(match_id, asked, who, matches))


async def _hand_in(match_id: UUID, request: AnyRequest, everybody: HandsIn) -> Answer:
    who = await stranger(request)
    try:
        asked: AnyPlay = bodies.read(request, who.body, _PLAYS)
    except HttpProblem as problem:
        # Only what is signed comes without a token, and this is nothing that could be.
        raise HttpProblem("no_token") from problem
    return await answer_handed_in(match_id, asked, who.ask, everybody)
