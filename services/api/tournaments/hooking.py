"""Webhooks of a tournament: `/tournaments/{id}/webhooks`, for its hosts alone."""

from __future__ import annotations

from typing import Final
from uuid import UUID

import msgspec
from litestar import Response, delete, get, post, route
from litestar.params import FromPath

from domain.errors import Refused
from domain.tournaments.tournament import Tournament
from infra.abroad.addresses import BadUrl
from services.api.answers import json_of
from services.api.dependencies import Dependencies
from services.api.requests import AnyRequest, house_of
from services.api.tournaments.askers import TournamentAsker
from services.api.tournaments.bodies import MakeWebhook
from services.api.tournaments.entering import HEADERS, TOKENS
from services.http import bodies
from services.http.front.addresses import network_of
from services.http.front.rates import Rate, too_many
from services.http.injected import Injected
from services.http.problems import HttpProblem
from services.tournaments.requests import TournamentBearer
from services.webhooks.hooks import (
    HOOKS_MAX,
    TRIALS_AT_ONCE,
    HookMade,
    HookOrder,
    HookTrial,
    HookView,
    TooManyHooks,
    TooManyTrials,
    UnknownHook,
)

TRIALS: Final = Rate(5, 60)
"""How often the hooks of a tournament may be tried: each try is a request to somebody else."""
TRIALS_OF_NETWORK: Final = Rate(10, 60)
"""How often one network may try hooks, of however many tournaments."""
TRIAL_S: Final = 10
"""When to come back if others are being tried: none takes longer."""
_TRIALS: Final = "webhook_tests"
_MAKES: Final = msgspec.json.Decoder(MakeWebhook)
_HOSTS: Final = ("not_an_official", "not_the_host")
_SAFE: Final = {"Cache-Control": "no-store"}


@post(
    "/tournaments/{tournament_id:uuid}/webhooks",
    operation_id="make_webhook",
    summary="Have an address told of what happens in a tournament",
    security=[{"bearer": []}],
    opt={"answers": HookMade, "problems": (*HEADERS, *TOKENS, *_HOSTS, "bad_url", "too_many_webhooks")},
)
async def make_webhook(
    tournament_id: FromPath[UUID],
    request: AnyRequest,
    parts: Injected[Dependencies],
    tournament_asker: Injected[TournamentAsker],
) -> Response[bytes]:
    """Have an address told of what happens from now on. The answer holds its secret, which is shown only here.

    Messages are signed as Standard Webhooks has it, and `webhook-id` is `TOURNAMENT.SEQ`, the same however often one is
    sent. What is not taken is sent again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h; then the
    webhook is off. A repeat with the same Idempotency-Key and body gets the same secret.
    """
    asked = bodies.read(request, tournament_asker.body, _MAKES)
    tournament = await held_by(parts, tournament_id, tournament_asker.bearer)
    order = HookOrder(asked.url, asked.kind, asked.language, asked.events)
    try:
        made = await parts.webhooks.make(tournament_id, order, tournament_asker.ask, tournament.version)
    except BadUrl as trouble:
        raise HttpProblem("bad_url", why=str(trouble)) from trouble
    except TooManyHooks as trouble:
        raise HttpProblem("too_many_webhooks", most=HOOKS_MAX) from trouble
    return json_of(made, 201, _SAFE)


@get(
    "/tournaments/{tournament_id:uuid}/webhooks",
    operation_id="list_webhooks",
    summary="Which addresses are told of a tournament",
    security=[{"bearer": []}],
    opt={"answers": list[HookView], "problems": ("unknown_tournament", *TOKENS, *_HOSTS)},
)
async def list_webhooks(
    tournament_id: FromPath[UUID],
    parts: Injected[Dependencies],
    tournament_viewer: Injected[TournamentBearer | None],
) -> Response[bytes]:
    """Return the webhooks of a tournament, with what became of the last message of each. No address is shown whole."""
    if tournament_viewer is None:
        raise HttpProblem("no_token")
    await held_by(parts, tournament_id, tournament_viewer)
    return json_of(await parts.webhooks.all_of(tournament_id), headers=_SAFE)


@delete(
    "/tournaments/{tournament_id:uuid}/webhooks/{hook:uuid}",
    operation_id="drop_webhook",
    summary="Have an address told no more",
    status_code=200,
    security=[{"bearer": []}],
    opt={"answers": list[HookView], "problems": (*HEADERS, *TOKENS, *_HOSTS, "unknown_webhook")},
)
async def drop_webhook(
    tournament_id: FromPath[UUID],
    hook: FromPath[UUID],
    parts: Injected[Dependencies],
    tournament_asker: Injected[TournamentAsker],
) -> Response[bytes]:
    """Remove a webhook, and return those that are left; a message that is under way just then may still arrive."""
    await held_by(parts, tournament_id, tournament_asker.bearer)
    try:
        await parts.webhooks.drop(tournament_id, hook)
    except UnknownHook as trouble:
        raise HttpProblem("unknown_webhook") from trouble
    return json_of(await parts.webhooks.all_of(tournament_id), headers=_SAFE)


@post(
    "/tournaments/{tournament_id:uuid}/webhooks/{hook:uuid}/test",
    operation_id="try_webhook",
    summary="Send a message that says nothing to a webhook",
    status_code=200,
    security=[{"bearer": []}],
    opt={"answers": HookTrial, "problems": (*HEADERS, *TOKENS, *_HOSTS, "unknown_webhook")},
)
async def try_webhook(
    tournament_id: FromPath[UUID],
    hook: FromPath[UUID],
    request: AnyRequest,
    parts: Injected[Dependencies],
    tournament_asker: Injected[TournamentAsker],
) -> Response[bytes]:
    """Send a message of the type `webhook.test` once, and return what came of it; five times a minute at most.

    One network may try ten a minute.
    """
    tournament = await held_by(parts, tournament_id, tournament_asker.bearer)
    _, rates = house_of(request)
    rates.check(_TRIALS, TRIALS_OF_NETWORK, network_of(request.scope))
    rates.check(_TRIALS, TRIALS, str(tournament_id))
    try:
        found = await parts.webhooks.trial(tournament_id, hook, tournament.version)
    except UnknownHook as trouble:
        raise HttpProblem("unknown_webhook") from trouble
    except TooManyTrials as trouble:
        parts.doors.turned_away[_TRIALS] += 1
        raise too_many(_TRIALS, Rate(TRIALS_AT_ONCE, TRIAL_S), TRIAL_S) from trouble
    return json_of(found, headers=_SAFE)


@route("/tournaments/{tournament_id:uuid}/webhooks", http_method="OPTIONS", status_code=204, include_in_schema=False)
async def methods() -> Response[None]:
    """Return both methods of the address; the framework's own answer knows only the first that was registered."""
    return Response(None, status_code=204, headers={"Allow": "GET, OPTIONS, POST"})


async def held_by(parts: Dependencies, tournament_id: UUID, bearer: TournamentBearer) -> Tournament:
    """Return a tournament whose host asks, as it is now: whoever was dismissed is no host any more."""
    tournament = (await parts.tournaments.load(tournament_id)).tournament
    role = tournament.officials.get(bearer.by)
    if role != "host":
        raise Refused("not_an_official" if role is None else "not_the_host")
    return tournament
