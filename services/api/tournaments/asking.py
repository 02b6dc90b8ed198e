"""Commands of a tournament over HTTP, `/tournaments/{id}/commands`, and the seat at the own table, `.../me/seat`."""

from __future__ import annotations

from typing import Final
from uuid import UUID

import msgspec
from litestar import Response, post
from litestar.params import FromPath

from domain.errors import TOURNAMENT_CODES, Refused
from services.api.answers import json_of
from services.api.bodies import check_signed
from services.api.dependencies import Dependencies
from services.api.requests import AnyRequest
from services.api.tournaments.announcing import response_of_tournament
from services.api.tournaments.askers import TournamentAsker
from services.api.tournaments.bodies import OF_DRAWERS, AnyTournamentAsk, SitAtOwnTable, command_asked
from services.api.tournaments.entering import HEADERS, TOKENS
from services.api.tournaments.following import OwnCard, entrant_asking, own_card_of
from services.http import bodies
from services.http.injected import Injected
from services.matches.tables.event_tables import SitsAtTable
from services.tournaments.requests import TournamentAnswer
from services.tournaments.tables import check_sits

_ASKS: Final[msgspec.json.Decoder[AnyTournamentAsk]] = msgspec.json.Decoder(AnyTournamentAsk)
_SITS: Final = msgspec.json.Decoder(SitAtOwnTable)
_OF_OTHERS: Final = (
    *("paused", "not_paused", "wrong_phase", "not_the_host", "too_few_players", "bad_time", "not_dealing"),
    *("wrong_deal", "unknown_player", "server_custody", "seed_already_given", "seed_mismatch", "not_allowed"),
    *("no_key", "bad_key", "key_taken", "bad_signature"),
)
"""Codes of matches that suit tournaments, too."""


@post(
    "/tournaments/{tournament_id:uuid}/commands",
    operation_id="ask_of_tournament",
    summary="Ask something of a tournament",
    status_code=200,
    security=[{"bearer": []}],
    opt={
        "answers": TournamentAnswer,
        "problems": (*HEADERS, *TOKENS, "not_a_drawer", *_OF_OTHERS, *TOURNAMENT_CODES),
    },
)
async def ask_of_tournament(
    tournament_id: FromPath[UUID],
    request: AnyRequest,
    parts: Injected[Dependencies],
    tournament_asker: Injected[TournamentAsker],
) -> Response[bytes]:
    """Ask something of a tournament; what somebody may ask depends on the token: host, arbiter or entrant.

    `number` may be left out by an entrant, who asks for the own one. A reason in words (`text`) is kept beside the log,
    which names it by its hash; with `restricted` only officials read it. What is said in an appeal, and in the
    decision on it, is read by whoever filed it and by officials, and by nobody else in any case.
    """
    asked: AnyTournamentAsk = bodies.read(request, tournament_asker.body, _ASKS)
    # Who draws lots may have been seated by another program since: that is read from the log, all else will do as kept.
    at_least = None if isinstance(asked, OF_DRAWERS) else 0
    tournament = (await parts.tournaments.load(tournament_id, at_least)).tournament
    command, beside = command_asked(asked, tournament_asker.bearer, tournament)
    return response_of_tournament(await parts.tournaments.submit(tournament_id, command, tournament_asker.ask, beside))


@post(
    "/tournaments/{tournament_id:uuid}/me/seat",
    operation_id="sit_at_own_table",
    summary="Take the seat at the own table",
    status_code=200,
    security=[{"bearer": []}],
    opt={
        "answers": OwnCard,
        "problems": (
            *(*HEADERS, *TOKENS, "not_an_entrant", "not_paired", "not_yours"),
            *("already_started", "bad_signature", "bad_key", "key_taken"),
        ),
    },
)
async def sit_at_own_table(
    tournament_id: FromPath[UUID],
    request: AnyRequest,
    parts: Injected[Dependencies],
    tournament_asker: Injected[TournamentAsker],
) -> Response[bytes]:
    """Take the seat that is kept at the own table, and return the card with its token.

    Who has registered a key finds the seat kept (`token` null, and `ready` false), and takes it with that key: `signed`
    is the join of CUP/1, section 4.14.3, over the lines that the match has. Without a key the seat is taken too, and an
    audit of the tournament says so. A repeat is answered with the seat there is.
    """
    number = entrant_asking(tournament_asker.bearer)
    asked = bodies.read(request, tournament_asker.body, _SITS)
    check_signed(asked.key, asked.signed)
    tournament = (await parts.tournaments.load(tournament_id)).tournament
    known = await own_card_of(parts, tournament, number)
    table = known.card.table
    if table is None or known.ready is None:
        raise Refused("not_paired")
    if known.token is None:
        match, player = UUID(table.match), tournament.entrants[number].player
        check_sits(tournament, match, table.seat, player, asked.key)
        await parts.seats.seat_at(match, table.seat, player, SitsAtTable(asked.custody, asked.key, asked.signed))
        known = await own_card_of(parts, tournament, number)
    return json_of(known, headers={"Cache-Control": "no-store"})
