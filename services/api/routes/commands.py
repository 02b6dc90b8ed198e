"""Playing: `/matches/{id}/commands`."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Response, post
from litestar.params import FromPath

from domain import commands
from domain.errors import CODES, Refused
from domain.table.offers import BidMove, CallMove
from projections.saying import NotUnderstood, parse_command
from services.api.answers import response_of
from services.api.bodies import AnyPlay, CloseSession, EndMatch, Say, command_of
from services.api.dependencies import Reading
from services.api.requests import AnyRequest, Asker
from services.http import bodies
from services.http.injected import Injected
from services.http.problems import HttpProblem
from services.matches.requests import Answer
from services.matches.secrets.tokens import Holder

_ABOUT_CLAIMS: Final = frozenset({"claim_malformed", "face_not_biddable", "count_out_of_range", "claim_not_higher"})
"""Refusals of a claim, to which the legal minimum raises are the help."""

_PLAYS: Final[msgspec.json.Decoder[AnyPlay]] = msgspec.json.Decoder(AnyPlay)

_OF_THE_LOBBY: Final = frozenset(
    {"bad_options", "name_taken", "too_few_players", "too_many_players", "too_many_bot_tables"}
)


@post(
    "/matches/{match_id:uuid}/commands",
    operation_id="play",
    summary="Play",
    status_code=200,
    security=[{"bearer": []}],
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
async def play(
    match_id: FromPath[UUID],
    request: AnyRequest,
    asker: Injected[Asker],
) -> Response[bytes]:
    """Ask something of a running match; what a seat may ask now stands in the `moves` of its view."""
    asked: AnyPlay = await bodies.read(request, _PLAYS)
    if isinstance(asked, CloseSession | EndMatch):
        asker.check_host()
        return response_of(await asker.matches.submit(match_id, command_of(asked, 0), asker.ask), 200)
    holder = asker.holder()
    command = await _command_of(asker.matches, match_id, holder, asked)
    try:
        return response_of(await asker.matches.submit(match_id, command, asker.ask), 200)
    except Refused as refused:
        if not isinstance(command, commands.Bid | commands.ClaimHand) or refused.code not in _ABOUT_CLAIMS:
            raise
        raise Refused(refused.code, **(refused.facts | await _help(asker.matches, match_id, holder))) from refused


async def _command_of(matches: Reading, match_id: UUID, holder: Holder, asked: AnyPlay) -> commands.MatchCommand:
    """Return what a body asks for; what a text does, the table tells.

    A repeat may be read otherwise; what was stored answers it all the same.

    Raises:
        HttpProblem: `not_understood`.
        Refused: `unknown_player`, as whoever has left the seat is refused everything.
    """
    if not isinstance(asked, Say):
        return command_of(asked, holder.seat)
    view = await matches.view(match_id, holder)
    if view.viewer is None:
        raise Refused("unknown_player")
    try:
        return parse_command(view, asked.text)
    except NotUnderstood as unsaid:
        raise HttpProblem("not_understood", str(unsaid)) from unsaid


async def _help(matches: Reading, match_id: UUID, holder: Holder) -> dict[str, Any]:
    """Return what the seat might claim instead: public facts, as its own view offers them."""
    moves = (await matches.view(match_id, holder)).moves
    for move in moves:
        if isinstance(move, BidMove):
            return {"minimum_raises": move.minimum}
        if isinstance(move, CallMove):
            return {"minimum_raises": [[move.minimum.shape, move.minimum.faces]]}
    return {}
