"""Entering a tournament, and helping to hold it: `/tournaments/{id}/entrants`, `/bots`, `/officials`."""

from __future__ import annotations

import asyncio
from typing import Final
from uuid import UUID

import msgspec
from litestar import Response, delete, get, post, route
from litestar.params import FromPath
from msgspec.structs import replace

from domain.errors import Refused
from domain.tournaments import commands
from projections.tournaments.entrants import EntrantRow, EntrantView, entrant_rows, entrant_view
from services.api.answers import json_of
from services.api.bodies import lawful_name
from services.api.dependencies import Dependencies
from services.api.requests import AnyRequest, newcomer, token_of
from services.api.seasons.players import person_of
from services.api.tournaments.announcing import response_of_tournament
from services.api.tournaments.askers import TournamentAsker, tournament_asker
from services.api.tournaments.bodies import AppointOfficial, EnterBots, EnterTournament
from services.engines.level_names import USUAL
from services.http import bodies
from services.http.etags import etag
from services.http.injected import Injected
from services.http.problems import HttpProblem
from services.matches.naming.bots import HOUSE_BOTS
from services.tournaments.requests import TournamentAnswer

HEADERS: Final = ("bad_idempotency_key", "bad_if_match", "key_reused", "version_passed", "unknown_tournament")
TOKENS: Final = ("no_token", "bad_token", "foreign_token")
_ENTRY: Final = (
    *("tournament_over", "wrong_phase", "entry_closed", "already_registered", "tournament_full", "entry_conditions"),
)
_ENTERS: Final = msgspec.json.Decoder(EnterTournament)
_BOTS: Final = msgspec.json.Decoder(EnterBots)
_APPOINTS: Final = msgspec.json.Decoder(AppointOfficial)


@post(
    "/tournaments/{tournament_id:uuid}/entrants",
    operation_id="enter_tournament",
    summary="Enter a tournament",
    security=[{}, {"bearer": []}],
    opt={
        "answers": TournamentAnswer,
        "problems": (
            *(*HEADERS, *_ENTRY, "weak_idempotency_key", "bad_name", "name_taken"),
            *("bad_token", "foreign_token", "not_yours", "not_an_official", "not_the_host"),
        ),
    },
)
async def enter(tournament_id: FromPath[UUID], request: AnyRequest, parts: Injected[Dependencies]) -> Response[bytes]:
    """Enter under this name. The answer holds the entrant's token, which is shown only here.

    A player enters with the own token in `player`, and goes by the name and the rating that belong to it. A host enters
    somebody else, perhaps at a place among the seeds (`seed`), and hands the token on. A repeat with the same
    Idempotency-Key and body gets the same token, so the key is as good as the token.
    """
    by = None
    if token_of(request) is None:
        asker = await newcomer(request)
        ask, body = asker.ask, asker.body
    else:
        known = await tournament_asker(request, tournament_id)
        if not known.is_official:
            raise Refused("already_registered")
        by, ask, body = known.bearer.by, known.ask, known.body
    asked = bodies.read(request, body, _ENTERS)
    name, person = await _who(request, parts, asked)
    answer = await parts.tournaments.register(
        tournament_id, by, name, ask, asked.club, asked.custody, person, asked.seed
    )
    return response_of_tournament(answer, 201)


async def _who(request: AnyRequest, parts: Dependencies, asked: EnterTournament) -> tuple[str | None, str | None]:
    """Return what somebody is called who enters, and the id of a player; a guest brings a name, a player has one.

    Raises:
        HttpProblem: `bad_name`, `bad_token`.
    """
    if (asked.name is None) is (asked.player is None):
        raise HttpProblem("bad_name", "a guest brings a `name`, a `player` has one: say one of the two")
    if asked.player is None:
        return lawful_name(str(asked.name)), None
    person = await person_of(request, parts, asked.player)
    return await parts.players.name(person), person


@get(
    "/tournaments/{tournament_id:uuid}/entrants",
    operation_id="list_entrants",
    summary="Who has entered",
    opt={"public": True, "answers": list[EntrantRow], "problems": ("unknown_tournament",)},
)
async def list_entrants(tournament_id: FromPath[UUID], parts: Injected[Dependencies]) -> Response[bytes]:
    """Return everybody who has entered, by number; who has left stays in the list."""
    tournament = (await parts.tournaments.load(tournament_id)).tournament
    found = entrant_rows(tournament, await parts.tournaments.names(tournament))
    return json_of(found, headers={"ETag": etag(tournament.version), "Cache-Control": "no-cache"})


@get(
    "/tournaments/{tournament_id:uuid}/entrants/{number:int}",
    operation_id="view_entrant",
    summary="The way of an entrant through the tournament",
    opt={"public": True, "answers": EntrantView, "problems": ("unknown_tournament", "unknown_number")},
)
async def view_entrant(
    tournament_id: FromPath[UUID], number: FromPath[int], parts: Injected[Dependencies]
) -> Response[bytes]:
    """Return an entrant round by round: tables, points, and what the tie-breaks are made of."""
    tournament = (await parts.tournaments.load(tournament_id)).tournament
    names = await parts.tournaments.names(tournament)
    found = await asyncio.to_thread(entrant_view, tournament, names, number)
    return json_of(found, headers={"ETag": etag(tournament.version), "Cache-Control": "no-cache"})


@route("/tournaments/{tournament_id:uuid}/entrants", http_method="OPTIONS", status_code=204, include_in_schema=False)
async def methods() -> Response[None]:
    """Return both methods of the address; the framework's own answer knows only the first that was registered."""
    return Response(None, status_code=204, headers={"Allow": "GET, OPTIONS, POST"})


@post(
    "/tournaments/{tournament_id:uuid}/bots",
    operation_id="enter_bots",
    summary="Enter bots of the house",
    security=[{"bearer": []}],
    opt={"answers": TournamentAnswer, "problems": (*HEADERS, *TOKENS, *_ENTRY, "not_an_official")},
)
async def enter_bots(
    tournament_id: FromPath[UUID],
    request: AnyRequest,
    parts: Injected[Dependencies],
    tournament_asker: Injected[TournamentAsker],
) -> Response[bytes]:
    """Enter bots of the house, openly marked as such, one after the other; a repeat enters those that are missing."""
    if not tournament_asker.is_official:
        raise Refused("not_an_official")
    asked, ask = bodies.read(request, tournament_asker.body, _BOTS), tournament_asker.ask
    answer, by = None, tournament_asker.bearer.by
    for number in range(asked.count):
        style, name = HOUSE_BOTS[(number + ask.command[0]) % len(HOUSE_BOTS)]
        one = replace(ask, key=f"{ask.key}/{number}", expected=None if number else ask.expected)
        answer = await parts.tournaments.register_bot(tournament_id, by, f"{USUAL}.{style}", name, one)
    assert answer is not None, "the request names at least one"
    return response_of_tournament(replace(answer, number=None, by=None), 201)


@post(
    "/tournaments/{tournament_id:uuid}/officials",
    operation_id="appoint_official",
    summary="Appoint an official",
    security=[{"bearer": []}],
    opt={
        "answers": TournamentAnswer,
        "problems": (*HEADERS, *TOKENS, "tournament_over", "not_an_official", "not_the_host", "already_registered"),
    },
)
async def appoint(
    tournament_id: FromPath[UUID],
    request: AnyRequest,
    parts: Injected[Dependencies],
    appointing_asker: Injected[TournamentAsker],
) -> Response[bytes]:
    """Give somebody the powers of an arbiter, or of a host. The answer holds the token, which is shown only here.

    The host of the season that the tournament is held for does so with the token of the season, whoever has lost the
    tournament's own.
    """
    asked = bodies.read(request, appointing_asker.body, _APPOINTS)
    by, ask = appointing_asker.bearer.by, appointing_asker.ask
    return response_of_tournament(await parts.tournaments.appoint(tournament_id, by, asked.role, ask), 201)


@delete(
    "/tournaments/{tournament_id:uuid}/officials/{official:str}",
    operation_id="dismiss_official",
    summary="Dismiss an official",
    status_code=200,
    security=[{"bearer": []}],
    opt={
        "answers": TournamentAnswer,
        "problems": (*HEADERS, *TOKENS, "tournament_over", "not_an_official", "not_the_host"),
    },
)
async def dismiss(
    tournament_id: FromPath[UUID],
    official: FromPath[str],
    parts: Injected[Dependencies],
    tournament_asker: Injected[TournamentAsker],
) -> Response[bytes]:
    """Take the powers of an official back; one host stays."""
    command = commands.Dismiss(by=tournament_asker.bearer.by, official=official)
    return response_of_tournament(await parts.tournaments.submit(tournament_id, command, tournament_asker.ask))
