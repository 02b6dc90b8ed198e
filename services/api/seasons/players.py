"""Players over HTTP: made known, seen, a new token, a name erased; `/players`."""

from __future__ import annotations

from typing import Final

import msgspec
from litestar import Response, delete, get, post
from litestar.params import FromPath

from projections.seasons.players import PlayerView
from services.api.answers import json_of
from services.api.bodies import lawful_name
from services.api.dependencies import Dependencies
from services.api.requests import AnyRequest, Newcomer, check_earning, house_of, identity_of, token_of
from services.api.seasons.bodies import MakePlayer
from services.http import bodies
from services.http.front.addresses import network_of
from services.http.front.rates import Rate
from services.http.injected import Injected
from services.http.problems import HttpProblem
from services.matches.requests import scope_of
from services.seasons.requests import PlayerAnswer
from services.tournaments.people import player_seen

_MAKES: Final = msgspec.json.Decoder(MakePlayer)
_TOKENS: Final = ("no_token", "bad_token", "foreign_token", "unknown_person")


@post(
    "/players",
    operation_id="make_player",
    summary="Become a player",
    opt={
        "answers": PlayerAnswer,
        "problems": ("bad_idempotency_key", "weak_idempotency_key", "bad_if_match", "bad_name", "key_reused"),
    },
)
async def make_player(
    request: AnyRequest, parts: Injected[Dependencies], newcomer: Injected[Newcomer]
) -> Response[bytes]:
    """Become a player under this name. The answer holds the token, which is shown only here.

    A repeat with the same Idempotency-Key and body gets the same token, so the key is as good as the token.
    """
    asked = bodies.read(request, newcomer.body, _MAKES)
    answer = await parts.players.create(lawful_name(asked.name), newcomer.ask)
    headers = {"Location": f"/api/v1/players/{answer.player}", "Cache-Control": "no-store"}
    return json_of(answer, 201, headers)


@get(
    "/players/{player:str}",
    operation_id="view_player",
    summary="A player",
    opt={"dear": True, "answers": PlayerView, "problems": ("unknown_person",)},
)
async def view_player(player: FromPath[str], parts: Injected[Dependencies]) -> Response[bytes]:
    """Return what a player is called, how strong in which season, and the tournaments entered, the last first."""
    return await _seen(parts, player)


async def _seen(parts: Dependencies, player: str) -> Response[bytes]:
    found = await player_seen(player, parts.players, parts.tournaments, parts.seasons)
    return json_of(found, headers={"Cache-Control": "no-store"})


@post(
    "/players/{player:str}/token",
    operation_id="renew_player_token",
    summary="A new token for a player",
    status_code=200,
    security=[{"bearer": []}],
    opt={
        "answers": PlayerAnswer,
        "problems": ("bad_idempotency_key", "weak_idempotency_key", "bad_if_match", *_TOKENS),
    },
)
async def renew_player_token(
    player: FromPath[str], request: AnyRequest, parts: Injected[Dependencies]
) -> Response[bytes]:
    """Return another token for the player of the one that is shown, which counts no more.

    A repeat with the same Idempotency-Key and the old token gets the same one, for as long as that counts.
    """
    token = _shown(request, parts)
    if await parts.players.player_of(token) not in {None, player}:
        raise await _foreign(parts, player)
    ask, _ = await identity_of(request, scope_of(token))
    check_earning(ask)
    answer = await parts.players.renew(token, ask)
    if answer is None:
        raise _guessed(request, parts)
    if answer.player != player:
        raise await _foreign(parts, player)
    return json_of(answer, headers={"Cache-Control": "no-store"})


@delete(
    "/players/{player:str}/name",
    operation_id="erase_player",
    summary="Erase the name of a player",
    status_code=200,
    security=[{"bearer": []}],
    opt={"answers": PlayerView, "problems": _TOKENS},
)
async def erase_player(player: FromPath[str], request: AnyRequest, parts: Injected[Dependencies]) -> Response[bytes]:
    """Erase what a player is called and which tournaments were entered. The id stays in records, and proofs stay whole.

    It cannot be taken back. Ratings, places and the token go on under the id.
    """
    known = await parts.players.player_of(_shown(request, parts))
    if known is None:
        raise _guessed(request, parts)
    if known != player:
        raise await _foreign(parts, player)
    await bodies.receive(request)  # it takes none, but one that breaks off makes this no request
    await parts.players.erase(player)
    return await _seen(parts, player)


async def person_of(request: AnyRequest, parts: Dependencies, token: str) -> str:
    """Return the player of a token; guesses are counted by network.

    Raises:
        HttpProblem: `bad_token`, `too_many_requests`.
    """
    player = await parts.players.player_of(token)
    if player is None:
        raise _guessed(request, parts)
    return player


def _shown(request: AnyRequest, parts: Dependencies) -> str:
    """Return the token that a request shows, whose writes are counted."""
    token = token_of(request)
    if token is None:
        raise HttpProblem("no_token")
    _, rates = house_of(request)
    rates.check("writes", Rate(parts.bounds.writes_per_s), scope_of(token))
    return token


def _guessed(request: AnyRequest, parts: Dependencies) -> HttpProblem:
    _, rates = house_of(request)
    rates.check("guesses", Rate(parts.bounds.writes_per_s), network_of(request.scope))
    return HttpProblem("bad_token")


async def _foreign(parts: Dependencies, player: str) -> HttpProblem:
    """Return that a token is of another player, if there is one of this id."""
    await parts.players.name(player)
    return HttpProblem("foreign_token")
