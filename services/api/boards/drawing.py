"""Duplicate boards over HTTP: `/boards/{id}`, their records, and the seeds of those who draw for them.

Whoever shows the token of an entrant or of a seat speaks for the same person, by whose id the board knows who draws.
"""

from __future__ import annotations

from typing import Any, Final, Literal
from uuid import UUID

import msgspec
from litestar import Request, Response, get, post
from litestar.params import FromPath
from msgspec import Struct

from domain import commands as of_deals
from domain.match.ceremony import Stage
from domain.tournaments.boards.board import Board
from domain.tournaments.boards.decide import OfDrawer
from services.api.answers import json_of, record_response
from services.api.dependencies import Dependencies
from services.api.requests import AnyRequest, house_of, identity_of, token_of
from services.api.tournaments.bodies import AnyBoardAsk, GiveSeedHash
from services.http import bodies
from services.http.etags import etag
from services.http.front.addresses import network_of
from services.http.front.rates import Rate
from services.http.injected import Injected
from services.http.problems import HttpProblem
from services.matches.requests import scope_of
from services.tournaments.requests import BoardAnswer

_ASKS: Final[msgspec.json.Decoder[AnyBoardAsk]] = msgspec.json.Decoder(AnyBoardAsk)
_OF_DEALS: Final = (
    *("game_over", "not_dealing", "wrong_deal", "unknown_player", "server_custody"),
    *("seed_already_given", "seed_mismatch"),
)


class OwnDraw(Struct, frozen=True):
    """What the deal of a board waits for, of whoever asks.

    Attributes:
        board: The board.
        stage: Where its deal stands; it waits for nobody any more once that is `ready`.
        deal: The number of the deal.
        drawer: The drawer's seat of whoever asks and draws with a seed of the own; null for all others.
        awaits: What of the seed the deal waits for.
    """

    board: str
    stage: Stage
    deal: int
    drawer: int | None = None
    awaits: Literal["commit", "open"] | None = None


@get(
    "/boards/{board_id:uuid}/record",
    operation_id="record_of_board",
    summary="The record of a duplicate board, for anybody to audit",
    opt={
        "public": True,
        "dear": True,
        "media_types": ("text/plain", "application/x-cup"),
        "problems": ("unknown_board",),
    },
)
async def record_of_board(
    request: Request[Any, Any, Any], board_id: FromPath[UUID], parts: Injected[Dependencies]
) -> Response[bytes]:
    """Return the record file: how the dice came about that several matches share, and when their rounds were over.

    A match that names this board in its rules (`board`) is audited together with it (CUP/1 section 4.23).
    """
    return record_response(request, await parts.tournaments.board_record(board_id), f"{board_id}.cup")


@get(
    "/boards/{board_id:uuid}/me",
    operation_id="own_draw",
    summary="What a duplicate board waits for of whoever asks",
    security=[{"bearer": []}],
    opt={"answers": OwnDraw, "problems": ("unknown_board", "no_token", "bad_token")},
)
async def own_draw(board_id: FromPath[UUID], request: AnyRequest, parts: Injected[Dependencies]) -> Response[bytes]:
    """Return whether the deal of a board waits for a seed of an entrant, who shows that token or the one of a seat."""
    player = await _drawer_by(_token_in(request), request)
    board = await parts.tournaments.board(board_id)
    return json_of(draw_of(board, player), headers={"ETag": etag(board.version), "Cache-Control": "no-store"})


@post(
    "/boards/{board_id:uuid}/commands",
    operation_id="give_seed_to_board",
    summary="Give a seed to a duplicate board",
    status_code=200,
    security=[{"bearer": []}],
    opt={
        "answers": BoardAnswer,
        "problems": (
            *("bad_idempotency_key", "bad_if_match", "key_reused", "unknown_board"),
            *("no_token", "bad_token", "not_a_drawer", *_OF_DEALS),
        ),
    },
)
async def give_seed_to_board(
    board_id: FromPath[UUID], request: AnyRequest, parts: Injected[Dependencies]
) -> Response[bytes]:
    """Fix or open a seed, as one of those who draw for a board; when it is time `/boards/{id}/me` says.

    Whoever fixes none within half a minute has the house draw it; whoever does not open it is barred from this board.
    """
    token, (_, rates) = _token_in(request), house_of(request)
    rates.check("writes", Rate(parts.bounds.writes_per_s), scope_of(token))
    player = await _drawer_by(token, request)
    ask, body = await identity_of(request, scope_of(token))
    asked = bodies.read(request, body, _ASKS)
    seat = _seat_of(await parts.tournaments.board(board_id), player)
    if seat is None:
        raise HttpProblem("not_a_drawer")
    command: OfDrawer = (
        of_deals.CommitSeed(seat, asked.deal, asked.commit)
        if isinstance(asked, GiveSeedHash)
        else of_deals.OpenSeed(seat, asked.deal, asked.seed)
    )
    answer = await parts.tournaments.give_seed(board_id, command, ask)
    return json_of(answer, headers={"ETag": etag(answer.version), "Cache-Control": "no-store"})


def draw_of(board: Board, player: str) -> OwnDraw:
    """Return what the deal of a board waits for, of somebody by their id."""
    deal, seat = board.ceremony, _seat_of(board, player)
    assert deal is not None, "it was opened with a deal"
    known = OwnDraw(str(board.id), deal.stage, deal.deal)
    if seat is None or board.drawers[seat].custody:
        return known
    stages: dict[str, Literal["commit", "open"]] = {"committed": "commit", "logged": "open"}
    awaits = stages.get(deal.stage) if seat in deal.waiting_for else None
    return OwnDraw(known.board, known.stage, known.deal, seat, awaits)


def _seat_of(board: Board, player: str) -> int | None:
    return next((seat for seat, who in board.drawers.items() if who.player == player), None)


def _token_in(request: AnyRequest) -> str:
    """Return the token of whoever asks, of an entrant or of a seat.

    Raises:
        HttpProblem: `no_token`, `bad_token`.
    """
    token = token_of(request)
    if token is None:
        raise HttpProblem("no_token")
    return token


async def _drawer_by(token: str, request: AnyRequest) -> str:
    """Return the id of whom a token speaks for; guesses are counted by network.

    Raises:
        HttpProblem: `bad_token`, `too_many_requests`.
    """
    parts, rates = house_of(request)
    player = await parts.tournaments.drawer_by(token)
    if player is None:
        rates.check("guesses", Rate(parts.bounds.writes_per_s), network_of(request.scope))
        raise HttpProblem("bad_token")
    return player
