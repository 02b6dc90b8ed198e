"""Opening a match, and finding one: `/matches` and `/games`."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from litestar import Request, Response, get, post, route
from litestar.params import QueryParameter

from projections.lobby import State
from services.api.answers import LobbyRow, answered, json_of
from services.api.bodies import OpenMatch
from services.api.dependencies import Parts
from services.api.requests import Newcomer
from services.http import bodies
from services.http.documents import Documents
from services.http.game_cards import GameCard
from services.http.injected import Given
from services.http.paging import LIMIT, Before, mark_of, place_of
from services.matches.handler import Answer

Wanted = Annotated[State | None, QueryParameter(name="state")]
Limit = Annotated[int, QueryParameter(ge=1, le=100)]


@get(
    "/games",
    operation_id="list_games",
    summary="The games and their options",
    opt={"answers": list[GameCard], "unchanged": True},
)
async def list_games(
    request: Request[Any, Any, Any], parts: Given[Parts], documents: Given[Documents]
) -> Response[bytes]:
    """Return a card for every game of the house."""
    return documents.answer(request, lambda: parts.games, "public, max-age=300")


@post(
    "/matches",
    operation_id="open_match",
    dependencies=bodies.asked(msgspec.json.Decoder(OpenMatch)),
    summary="Open a match",
    opt={
        "answers": Answer,
        "problems": ("bad_idempotency_key", "weak_idempotency_key", "bad_if_match", "bad_options", "key_reused"),
    },
)
async def open_match(asked: Given[OpenMatch], parts: Given[Parts], newcomer: Given[Newcomer]) -> Response[bytes]:
    """Open a match under these rules. The answer holds the token of its host, which is shown only here.

    A repeat with the same Idempotency-Key and body gets the same token, so the key is as good as the token: let it be a
    UUID, or 128 random bits.
    """
    rules: dict[str, Any] = msgspec.to_builtins(asked.rules)
    return _opened(await parts.matches.open(rules, newcomer.ask, asked.policy))


@get(
    "/matches",
    operation_id="list_matches",
    summary="The lobby",
    opt={"answers": list[LobbyRow]},
)
async def list_matches(
    parts: Given[Parts], wanted: Wanted = None, limit: Limit = LIMIT, before: Before = None
) -> Response[bytes]:
    """Return the latest matches in this state, or of each; the `Link` of a full page of one state leads to the next."""
    rows = await parts.matches.lobby(wanted, limit, place_of(before))
    headers = {}
    if wanted is not None and len(rows) == limit:
        headers["Link"] = f'</api/v1/matches?state={wanted}&limit={limit}&before={mark_of(rows[-1])}>; rel="next"'
    return json_of(rows, headers=headers)


@route("/matches", http_method="OPTIONS", status_code=204, include_in_schema=False)
async def methods() -> Response[None]:
    """Return both methods of the address; the framework's own answer knows only the first that was registered."""
    return Response(None, status_code=204, headers={"Allow": "GET, OPTIONS, POST"})


def _opened(answer: Answer) -> Response[bytes]:
    response = answered(answer, 201)
    response.headers["Location"] = f"/api/v1/matches/{answer.match}"
    response.headers["Link"] = f'</api/v1/matches/{answer.match}/stream>; rel="monitor"'
    return response
