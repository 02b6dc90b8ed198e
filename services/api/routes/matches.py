"""Opening a match, and finding one: `/matches` and `/games`."""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec
from litestar import Request, Response, get, post, route
from litestar.params import QueryParameter

from projections.lobby import State
from services.api.answers import LobbyRow, json_of, response_of
from services.api.bodies import OpenMatch, card_of
from services.api.dependencies import Dependencies
from services.api.requests import AnyRequest, Newcomer
from services.http import bodies
from services.http.documents import Documents
from services.http.game_cards import GameCard
from services.http.injected import Injected
from services.http.paging import LIMIT, Before, mark_of, place_of
from services.matches.requests import Answer

_OPENS: Final = msgspec.json.Decoder(OpenMatch)
Wanted = Annotated[State | None, QueryParameter(name="state")]
OfGame = Annotated[str | None, QueryParameter(name="game", pattern=r"^[a-z_]{1,40}(?!\n)$")]
Limit = Annotated[int, QueryParameter(ge=1, le=100)]


@get(
    "/games",
    operation_id="list_games",
    summary="The games and their options",
    opt={"answers": list[GameCard], "unchanged": True},
)
async def list_games(
    request: Request[Any, Any, Any], parts: Injected[Dependencies], documents: Injected[Documents]
) -> Response[bytes]:
    """Return a card for every game of the house."""
    return documents.answer(request, lambda: parts.games, "public, max-age=300")


@post(
    "/matches",
    operation_id="open_match",
    summary="Open a match",
    opt={
        "answers": Answer,
        "problems": (
            "bad_idempotency_key",
            "weak_idempotency_key",
            "bad_if_match",
            "bad_options",
            "bad_name",
            "key_reused",
            "too_many_tables",
        ),
    },
)
async def open_match(
    request: AnyRequest, parts: Injected[Dependencies], newcomer: Injected[Newcomer]
) -> Response[bytes]:
    """Open a match under these rules. The answer holds the token of its host, which is shown only here.

    A repeat with the same Idempotency-Key and body gets the same token, so the key is as good as the token: let it be a
    UUID, or 128 random bits. So does what opens a private table get the same `invite`: it is for whoever shall sit down
    there, on pages as `/m/{match}#invite={invite}`, which is told to no server.
    """
    asked = bodies.read(request, newcomer.body, _OPENS)
    rules: dict[str, Any] = msgspec.to_builtins(asked.rules)
    return _response_of_opening(await parts.matches.open(rules, newcomer.ask, asked.policy, card_of(asked)))


@get(
    "/matches",
    operation_id="list_matches",
    summary="The lobby",
    opt={"public": True, "answers": list[LobbyRow]},
)
async def list_matches(
    parts: Injected[Dependencies],
    wanted: Wanted = None,
    limit: Limit = LIMIT,
    before: Before = None,
    game: OfGame = None,
) -> Response[bytes]:
    """Return the latest matches in this state, or of each; the `Link` of a full page of one state leads to the next.

    Those of one game are looked for among the 400 of a state that moved last.
    """
    rows = await parts.matches.lobby(wanted, limit, place_of(before), game)
    headers = {}
    if wanted is not None and len(rows) == limit:
        of_game = "" if game is None else f"&game={game}"
        next_ = f"/api/v1/matches?state={wanted}&limit={limit}{of_game}&before={mark_of(rows[-1])}"
        headers["Link"] = f'<{next_}>; rel="next"'
    return json_of([{**row, "watching": parts.crowds.count(row["match"])} for row in rows], headers=headers)


@route("/matches", http_method="OPTIONS", status_code=204, include_in_schema=False)
async def methods() -> Response[None]:
    """Return both methods of the address; the framework's own answer knows only the first that was registered."""
    return Response(None, status_code=204, headers={"Allow": "GET, OPTIONS, POST"})


def _response_of_opening(answer: Answer) -> Response[bytes]:
    response = response_of(answer, 201)
    response.headers["Location"] = f"/api/v1/matches/{answer.match}"
    response.headers["Link"] = f'</api/v1/matches/{answer.match}/stream>; rel="monitor"'
    return response
