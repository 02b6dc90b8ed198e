"""Announcing a tournament, and finding one: `/tournaments`."""

from __future__ import annotations

from typing import Annotated, Any, Final
from uuid import UUID

import msgspec
from litestar import Request, Response, get, post, route
from litestar.params import FromPath, QueryParameter

from domain.errors import Refused
from domain.tournaments.presets import PRESETS, preset
from projections.tournaments.overview import TournamentRow, TournamentState, TournamentView, tournament_view
from services.api.answers import json_of
from services.api.dependencies import Dependencies
from services.api.requests import AnyRequest, Newcomer, token_of
from services.api.routes.matches import OfGame
from services.api.seasons.league import season_hosted
from services.api.tournaments.bodies import Announce, card_of_tournament
from services.http import bodies
from services.http.etags import etag, names
from services.http.injected import Injected
from services.http.paging import LIMIT, Before, place_of
from services.tournaments.requests import TournamentAnswer

_ANNOUNCES: Final = msgspec.json.Decoder(Announce)
_ROWS: Final = msgspec.json.Decoder(TournamentRow)
Wanted = Annotated[TournamentState, QueryParameter(name="state")]
Limit = Annotated[int, QueryParameter(ge=1, le=100)]


@post(
    "/tournaments",
    operation_id="announce_tournament",
    summary="Announce a tournament",
    security=[{}, {"bearer": []}],
    opt={
        "answers": TournamentAnswer,
        "problems": (
            *("bad_idempotency_key", "weak_idempotency_key", "bad_if_match", "bad_options", "bad_name", "key_reused"),
            *("bad_token", "unknown_season", "season_over", "season_full"),
        ),
    },
)
async def announce(request: AnyRequest, parts: Injected[Dependencies], newcomer: Injected[Newcomer]) -> Response[bytes]:
    """Announce a tournament under these rules. The answer holds the token of its host, which is shown only here.

    One that is held for a season (`rules.season`) is announced with the token of the season's host.
    A repeat with the same Idempotency-Key and body gets the same token, so the key is as good as the token.
    """
    asked = bodies.read(request, newcomer.body, _ANNOUNCES)
    rules, token = _rules_of(asked), token_of(request)
    season = None
    if rules.get("season") is not None and token is not None:
        season = await season_hosted(request, parts, token)
    answer = await parts.tournaments.create(rules, newcomer.ask, card_of_tournament(asked), season)
    response = response_of_tournament(answer, 201)
    response.headers["Location"] = f"/api/v1/tournaments/{answer.tournament}"
    return response


def _rules_of(asked: Announce) -> dict[str, Any]:
    """Return the rules that are asked for.

    Raises:
        Refused: `bad_options`: there is no such preset.
    """
    if asked.preset is None:
        return asked.rules
    if asked.preset not in PRESETS:
        raise Refused("bad_options", option="preset", why="no rules have this name", known=sorted(PRESETS))
    return preset(asked.preset, **asked.rules)


@get(
    "/tournaments",
    operation_id="list_tournaments",
    summary="The tournaments",
    opt={"public": True, "answers": list[TournamentRow]},
)
async def list_tournaments(
    parts: Injected[Dependencies],
    wanted: Wanted = "open",
    limit: Limit = LIMIT,
    before: Before = None,
    game: OfGame = None,
) -> Response[bytes]:
    """Return the tournaments in this state, those that moved last first; a full page has a `Link` to the next."""
    rows = await parts.tournaments.rows(wanted, limit, place_of(before), game)
    found = [_ROWS.decode(row.doc) for row in rows]
    headers = {}
    if len(found) == limit:
        of_game = "" if game is None else f"&game={game}"
        mark = f"{found[-1].at}.{found[-1].tournament}"
        headers["Link"] = f'</api/v1/tournaments?state={wanted}&limit={limit}{of_game}&before={mark}>; rel="next"'
    return json_of(found, headers=headers)


@route("/tournaments", http_method="OPTIONS", status_code=204, include_in_schema=False)
async def methods() -> Response[None]:
    """Return both methods of the address; the framework's own answer knows only the first that was registered."""
    return Response(None, status_code=204, headers={"Allow": "GET, OPTIONS, POST"})


@get(
    "/tournaments/{tournament_id:uuid}",
    operation_id="view_tournament",
    summary="The tournament as it stands",
    opt={"answers": TournamentView, "problems": ("unknown_tournament",), "unchanged": True},
)
async def view_tournament(
    request: Request[Any, Any, Any], tournament_id: FromPath[UUID], parts: Injected[Dependencies]
) -> Response[bytes]:
    """Return rules, phase, round, what is due next; with If-None-Match, nothing if it has not changed."""
    cached = await parts.tournaments.load(tournament_id)
    called, version = await parts.tournaments.names(cached.tournament), cached.tournament.version
    nameless = len(cached.tournament.entrants) - len(called)
    headers = {"ETag": etag(version, nameless), "Cache-Control": "no-cache"}
    if names(request.headers.get("if-none-match"), version, nameless):
        return Response(b"", status_code=304, headers=headers)
    title = await parts.tournaments.title(tournament_id)
    return json_of(tournament_view(cached.tournament, called, title, cached.written.head), headers=headers)


def response_of_tournament(answer: TournamentAnswer, status: int = 200) -> Response[bytes]:
    """Return the response to an accepted command; the version it produced is its entity tag."""
    return json_of(answer, status, {"ETag": etag(answer.version), "Cache-Control": "no-store"})
