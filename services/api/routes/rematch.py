"""The next table of those who have just played: `/matches/{id}/rematch`."""

from __future__ import annotations

from typing import Final
from uuid import UUID

import msgspec
from litestar import Response, get, post, route
from litestar.params import FromPath
from msgspec.structs import replace

from services.api.answers import json_of, response_of
from services.api.bodies import SitAgain, check_signed
from services.api.dependencies import Dependencies
from services.api.requests import AnyRequest, Asker
from services.http import bodies
from services.http.injected import Injected
from services.matches.requests import Answer, SeatMark, SitsAgain
from services.matches.tables.rematches import NextTable

_AGAIN: Final = msgspec.json.Decoder(SitAgain)


@post(
    "/matches/{match_id:uuid}/rematch",
    operation_id="ask_for_rematch",
    summary="Play again, with the same people",
    security=[{"bearer": []}],
    opt={
        "answers": Answer,
        "problems": (
            *("bad_idempotency_key", "bad_if_match", "unknown_match", "no_token", "bad_token", "foreign_token"),
            *("not_over", "never_played", "unknown_player", "game_over"),
            *("already_started", "too_many_players", "name_taken", "bad_options"),
            *("needs_signature", "bad_signature", "bad_key", "key_taken", "no_key"),
        ),
    },
)
async def ask_for_rematch(match_id: FromPath[UUID], request: AnyRequest, asker: Injected[Asker]) -> Response[bytes]:
    """Sit down at the next table of a match that is over: under its rules, with its name, as private as it was.

    All who ask find the same table, and the same token again. The bots of the house sit down with the first, who is the
    host there and gets that token in `host`; `token` is that of the seat, which the host of before has none of without
    a seat, and whoever has got up from that table neither: they take a seat there as others do. When everybody sits who
    sat at the table before, the match starts; otherwise its host starts it.

    Whoever signs asks twice: with `"sits": false` for the table, and with `key`, `salt` and `signed` for the seat, over
    the lines that the table has by then (CUP/1 section 4.14).
    """
    if not asker.body:
        return response_of(await asker.matches.rematch(match_id, asker.ask), 201)
    asked = bodies.read(request, asker.body, _AGAIN)
    check_signed(asked.key, asked.signed)
    again = SitsAgain(asked.sits, asked.custody, SeatMark(asked.key, asked.salt))
    return response_of(await asker.matches.rematch(match_id, replace(asker.ask, signature=asked.signed), again), 201)


@get(
    "/matches/{match_id:uuid}/rematch",
    operation_id="see_rematch",
    summary="Whether there is a next table, and who sits there",
    opt={"answers": NextTable, "problems": ("unknown_match",)},
)
async def see_rematch(match_id: FromPath[UUID], parts: Injected[Dependencies]) -> Response[bytes]:
    """Return the next table of the people of a match.

    That nobody has asked for one is no problem but `"match": null`: pages of a match that is over ask again and again.
    """
    return json_of(await parts.matches.next_table(match_id), headers={"Cache-Control": "no-cache"})


@route("/matches/{match_id:uuid}/rematch", http_method="OPTIONS", status_code=204, include_in_schema=False)
async def methods() -> Response[None]:
    """Return both methods of the address; the framework's own answer knows only the first that was registered."""
    return Response(None, status_code=204, headers={"Allow": "GET, OPTIONS, POST"})
