"""Seasons over HTTP: begun, seen, ended, and their records; `/seasons`."""

from __future__ import annotations

import asyncio
from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Request, Response, get, post
from litestar.params import FromPath

from domain.seasons.members import is_player
from projections.seasons.table import SeasonView, season_view
from services.api.answers import json_of, record_response
from services.api.bodies import lawful_name
from services.api.dependencies import Dependencies
from services.api.requests import AnyRequest, Newcomer, house_of, identity_of, token_of
from services.api.seasons.bodies import BeginSeason
from services.http import bodies
from services.http.etags import etag, names
from services.http.front.addresses import network_of
from services.http.front.rates import Rate
from services.http.injected import Injected
from services.http.problems import HttpProblem
from services.matches.reads.cards import PLAIN
from services.matches.requests import scope_of
from services.seasons.requests import SeasonAnswer

_BEGINS: Final = msgspec.json.Decoder(BeginSeason)


@post(
    "/seasons",
    operation_id="begin_season",
    summary="Begin a season",
    opt={
        "answers": SeasonAnswer,
        "problems": (
            *("bad_idempotency_key", "weak_idempotency_key", "bad_if_match", "bad_options", "bad_name", "key_reused"),
        ),
    },
)
async def begin_season(
    request: AnyRequest, parts: Injected[Dependencies], newcomer: Injected[Newcomer]
) -> Response[bytes]:
    """Begin a season of a game. The answer holds the token of its host, which is shown only here.

    Whoever has it announces tournaments for the season. A repeat with the same Idempotency-Key and body gets the same
    token, so the key is as good as the token.
    """
    asked = bodies.read(request, newcomer.body, _BEGINS)
    card = PLAIN if asked.title is None else msgspec.structs.replace(PLAIN, name=lawful_name(asked.title))
    answer = await parts.seasons.create(asked.game, asked.rules, newcomer.ask, card)
    response = _response_of(answer, 201)
    response.headers["Location"] = f"/api/v1/seasons/{answer.season}"
    return response


@get(
    "/seasons/{season_id:uuid}",
    operation_id="view_season",
    summary="The season as it stands",
    opt={"answers": SeasonView, "problems": ("unknown_season",), "unchanged": True},
)
async def view_season(
    request: Request[Any, Any, Any], season_id: FromPath[UUID], parts: Injected[Dependencies]
) -> Response[bytes]:
    """Return the table of the league, ratings, and the tournaments held for it; with If-None-Match, nothing new."""
    written = await parts.seasons.load(season_id)
    called, version = await parts.seasons.names(written.season), written.season.version
    nameless = sum(map(is_player, written.season.members)) - len(called)
    headers = {"ETag": etag(version, nameless), "Cache-Control": "no-cache"}
    if names(request.headers.get("if-none-match"), version, nameless):
        return Response(b"", status_code=304, headers=headers)
    title, titles = await parts.seasons.title(season_id), await parts.seasons.titles(written.season)
    found = await asyncio.to_thread(season_view, written.season, written.head, title, called, titles)
    return json_of(found, headers=headers)


@post(
    "/seasons/{season_id:uuid}/close",
    operation_id="close_season",
    summary="End a season",
    status_code=200,
    security=[{"bearer": []}],
    opt={
        "answers": SeasonAnswer,
        "problems": (
            *("bad_idempotency_key", "bad_if_match", "key_reused", "version_passed", "unknown_season"),
            *("no_token", "bad_token", "foreign_token", "season_over", "season_running"),
        ),
    },
)
async def close_season(
    season_id: FromPath[UUID], request: AnyRequest, parts: Injected[Dependencies]
) -> Response[bytes]:
    """End a season, once all that was held for it has counted; who goes up and down stands in its last line."""
    token = token_of(request)
    if token is None:
        raise HttpProblem("no_token")
    (_, rates), scope = house_of(request), scope_of(token)
    rates.check("writes", Rate(parts.bounds.writes_per_s), scope)
    if await season_hosted(request, parts, token) != season_id:
        await parts.seasons.load(season_id)
        raise HttpProblem("foreign_token")
    ask, _ = await identity_of(request, scope)
    return _response_of(await parts.seasons.close(season_id, ask))


async def season_hosted(request: AnyRequest, parts: Dependencies, token: str) -> UUID:
    """Return the season whose host shows this token; guesses are counted by network.

    Raises:
        HttpProblem: `bad_token`, `too_many_requests`.
    """
    found = await parts.seasons.host_of(token)
    if found is None:
        _, rates = house_of(request)
        rates.check("guesses", Rate(parts.bounds.writes_per_s), network_of(request.scope))
        raise HttpProblem("bad_token")
    return found


@get(
    "/seasons/{season_id:uuid}/export",
    operation_id="export_season",
    summary="The record of a season, for anybody to audit",
    opt={
        "public": True,
        "dear": True,
        "media_types": ("text/plain", "application/x-cup"),
        "problems": ("unknown_season",),
    },
)
async def export_season(
    request: Request[Any, Any, Any], season_id: FromPath[UUID], parts: Injected[Dependencies]
) -> Response[bytes]:
    """Return the record file: every line, with what the transparency log says of them (CUP/1 section 4.10)."""
    return record_response(request, await parts.seasons.record(season_id), f"{season_id}.cup")


def _response_of(answer: SeasonAnswer, status: int = 200) -> Response[bytes]:
    return json_of(answer, status, {"ETag": etag(answer.version), "Cache-Control": "no-store"})
