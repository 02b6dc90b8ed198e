"""Seats: coming and going before a match starts, `/matches/{id}/seats`, `/bots`, `/start`, and `/phrases` of theirs."""

from __future__ import annotations

from typing import Final
from uuid import UUID

import msgspec
from litestar import Response, delete, post, put
from litestar.params import FromPath
from msgspec.structs import replace

from domain import commands
from domain.errors import Refused
from services.api.answers import ErasedName, Saying, json_of, response_of
from services.api.bodies import JoinMatch, NameSeatKey, SayPhrase, SeatBots, TakeSeatKey, check_signed, name_of
from services.api.dependencies import Dependencies
from services.api.requests import AnyRequest, Asker, Newcomer
from services.http import bodies
from services.http.front.addresses import network_of
from services.http.front.rates import Rate, Rates
from services.http.injected import Injected
from services.http.problems import HttpProblem
from services.matches.requests import Answer, SeatMark, TakesKey, VersionPassed

_JOINS: Final = msgspec.json.Decoder(JoinMatch)
_BOTS: Final = msgspec.json.Decoder(SeatBots)
_KEYS: Final = msgspec.json.Decoder(NameSeatKey)
_TAKES: Final = msgspec.json.Decoder(TakeSeatKey)
_PHRASES: Final = msgspec.json.Decoder(SayPhrase)
_HEADERS = ("bad_idempotency_key", "bad_if_match", "key_reused", "version_passed", "unknown_match", "game_over")
_NEWCOMER = ("weak_idempotency_key", "bad_name", "name_taken")
_TOKENS = ("no_token", "bad_token", "foreign_token")


@post(
    "/matches/{match_id:uuid}/seats",
    operation_id="join_match",
    summary="Take a seat",
    opt={
        "answers": Answer,
        "problems": (
            *_HEADERS,
            *_NEWCOMER,
            "already_started",
            "locked",
            "too_many_players",
            "too_many_bot_tables",
            *("needs_invite", "needs_signature", "bad_signature", "bad_key", "key_taken", "no_key"),
        ),
    },
)
async def join(
    match_id: FromPath[UUID],
    request: AnyRequest,
    parts: Injected[Dependencies],
    newcomer: Injected[Newcomer],
    rates: Injected[Rates],
) -> Response[bytes]:
    """Take the next seat. The answer holds the seat's token, which is shown only here.

    A repeat with the same Idempotency-Key and body gets the same token, so the key is as good as the token: let it be a
    UUID, or 128 random bits. A private table takes its invitation. Guesses at that are counted like those at tokens.
    With a `key` the seat signs all it asks for from then on, beginning with this (CUP/1 section 4.14).
    """
    asked = bodies.read(request, newcomer.body, _JOINS)
    check_signed(asked.key, asked.signed)
    ask, mark = replace(newcomer.ask, signature=asked.signed), SeatMark(asked.key, asked.salt)
    try:
        answer = await parts.matches.join(match_id, name_of(asked), asked.custody, ask, asked.invite, mark)
    except Refused as refused:
        if refused.code == "needs_invite" and asked.invite is not None:
            rates.check("guesses", Rate(parts.bounds.writes_per_s), network_of(request.scope))
        raise
    return response_of(answer, 201)


@post(
    "/matches/{match_id:uuid}/seats/{seat:int}/key",
    operation_id="name_key",
    summary="Name another key for a seat",
    status_code=200,
    security=[{"bearer": []}],
    opt={
        "answers": Answer,
        "problems": (
            *(*_HEADERS, *_TOKENS, "not_the_host", "unknown_player"),
            *("no_key", "bad_key", "key_taken", "no_asides_left"),
        ),
    },
)
async def name_key(
    match_id: FromPath[UUID], seat: FromPath[int], request: AnyRequest, asker: Injected[Asker]
) -> Response[bytes]:
    """Name a key for a player who has lost the old one; only the host may.

    The next command of the seat decides: signed with the old key it is off, with the new one, two minutes later at
    least, it holds, and the record says who vouched for it.
    """
    asked = bodies.read(request, asker.body, _KEYS)
    return response_of(await asker.matches.submit(match_id, commands.NameKey(seat, asked.key), asker.ask), 200)


@put(
    "/matches/{match_id:uuid}/seats/me/key",
    operation_id="take_key",
    summary="Sign for a seat that was given out",
    status_code=200,
    security=[{"bearer": []}],
    opt={
        "answers": Answer,
        "problems": (
            *(*_HEADERS, *_TOKENS, "not_a_seat", "unknown_player", "already_started"),
            *("has_key", "bad_key", "key_taken", "bad_signature"),
        ),
    },
)
async def take_key(match_id: FromPath[UUID], request: AnyRequest, asker: Injected[Asker]) -> Response[bytes]:
    """Take the token's seat again with a key, before the match starts: a seat of a list of tables, or of a tournament.

    A key comes with a join, and that is signed over a line. So the player gets up, with a line whose hash can be told
    beforehand, and sits down over it, both at once: nobody else gets the seat, whose token and name stay the same.
    """
    holder, asked = asker.holder(), bodies.read(request, asker.body, _TAKES)
    ask, mark = replace(asker.ask, holder=holder, signature=asked.signed), SeatMark(asked.key, asked.salt)
    return response_of(await asker.matches.take_key(match_id, TakesKey(asked.left_at, asked.custody, mark), ask), 200)


@delete(
    "/matches/{match_id:uuid}/seats/me",
    operation_id="leave_match",
    summary="Give the seat up",
    status_code=200,
    security=[{"bearer": []}],
    opt={
        "answers": Answer,
        "problems": (*_HEADERS, *_TOKENS, "not_a_seat", "already_started", "unknown_player", "needs_signature"),
    },
)
async def leave(match_id: FromPath[UUID], asker: Injected[Asker]) -> Response[bytes]:
    """Give the token's seat up before the match starts."""
    return response_of(await asker.matches.submit(match_id, commands.Leave(asker.holder().seat), asker.ask), 200)


@delete(
    "/matches/{match_id:uuid}/seats/me/name",
    operation_id="erase_name",
    summary="Erase the name of a seat",
    status_code=200,
    security=[{"bearer": []}],
    opt={
        "answers": ErasedName,
        "problems": ("bad_idempotency_key", "bad_if_match", "unknown_match", *_TOKENS, "not_a_seat"),
    },
)
async def erase_name(match_id: FromPath[UUID], asker: Injected[Asker]) -> Response[bytes]:
    """Erase what the token's seat is called, at any time, and what the record commits to it with. The token goes on.

    It cannot be taken back. The id stays in the record, and every proof holds as before; a seat at another table is
    another name. A repeat changes nothing.
    """
    holder = asker.holder()
    erased = await asker.matches.erase_name(match_id, holder)
    return json_of(ErasedName(str(match_id), holder.seat, erased), headers={"Cache-Control": "no-store"})


@post(
    "/matches/{match_id:uuid}/bots",
    operation_id="seat_bots",
    summary="Seat house bots",
    security=[{"bearer": []}],
    opt={
        "answers": Answer,
        "problems": (
            *_HEADERS,
            *_TOKENS,
            "not_the_host",
            "unknown_player",
            "already_started",
            "too_many_players",
            "too_many_bot_tables",
            "not_allowed",
        ),
    },
)
async def seat_bots(
    match_id: FromPath[UUID],
    request: AnyRequest,
    asker: Injected[Asker],
) -> Response[bytes]:
    """Seat house bots, openly marked as such, in the next seats.

    They sit down at a table without an end (`open_ended`) only under the idle rule, which ends it when nobody looks on.
    """
    asked = bodies.read(request, asker.body, _BOTS)
    return response_of(await asker.matches.seat_bots(match_id, asked.count, asker.ask, asked.level), 201)


@post(
    "/matches/{match_id:uuid}/start",
    operation_id="start_match",
    summary="Start the match",
    status_code=200,
    security=[{"bearer": []}],
    opt={
        "answers": Answer,
        "problems": (
            *(*_HEADERS, *_TOKENS, "not_the_host", "unknown_player", "already_started"),
            *("too_few_players", "too_many_bot_tables"),
        ),
    },
)
async def start(match_id: FromPath[UUID], asker: Injected[Asker]) -> Response[bytes]:
    """Close the lobby and begin the first deal.

    Tables at which only house bots sit are few, for the house and for one address: take a seat, or wait until one ends.
    """
    return response_of(await asker.matches.start(match_id, asker.ask), 200)


@post(
    "/matches/{match_id:uuid}/phrases",
    operation_id="say_phrase",
    summary="Say a quick phrase",
    status_code=202,
    security=[{"bearer": []}],
    opt={
        "answers": Saying,
        "problems": (
            *("bad_idempotency_key", "bad_if_match", "version_passed", "unknown_match"),
            *(*_TOKENS, "not_a_seat", "game_over", "no_phrases"),
        ),
    },
)
async def say(
    match_id: FromPath[UUID],
    request: AnyRequest,
    parts: Injected[Dependencies],
    asker: Injected[Asker],
    rates: Injected[Rates],
) -> Response[bytes]:
    """Say one of the quick phrases, from taking the seat to the end of the match, out of the game or not.

    Whoever reads the match just then is told, and nobody later, nor whoever is shown the match late: it is in no log
    and no record, and a repeat says it again. A seat says four at once, and another every two seconds.
    """
    holder, asked = asker.holder(), bodies.read(request, asker.body, _PHRASES)
    if await parts.matches.holding(match_id, holder) is None:
        raise HttpProblem("not_a_seat", "the seat of this token was given up")
    # No view is asked for: who looks with a seat's eyes is noted for the dice that are served, and none are.
    version, over = await parts.matches.version_now(match_id)
    if asker.ask.expected is not None and version not in asker.ask.expected:
        raise VersionPassed(version)
    if over:
        raise Refused("game_over")
    if not (await parts.matches.card(match_id)).choices.phrases:
        raise HttpProblem("no_phrases")
    rates.check("phrases", parts.bounds.phrases, f"{match_id}/{holder.seat}")
    saying = Saying(asked.phrase, holder.seat)
    await parts.streams.say(match_id, msgspec.json.encode(saying))
    return json_of(saying, 202, {"Cache-Control": "no-store"})
