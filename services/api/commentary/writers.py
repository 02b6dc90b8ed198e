"""Writers of comments over HTTP, `/matches/{id}/comments/writers`."""

from __future__ import annotations

from typing import Final
from uuid import UUID

import msgspec
from litestar import Response, get, put, route
from litestar.params import FromPath
from msgspec import Struct

from infra.store.comments import Writers
from services.api.answers import json_of
from services.api.commentary.bodies import LetWrite
from services.api.commentary.comments import writing
from services.api.dependencies import Dependencies
from services.api.requests import AnyRequest, identity_of
from services.http import bodies
from services.http.injected import Injected
from services.matches.requests import scope_of

_LETS: Final = msgspec.json.Decoder(LetWrite)


class Caster(Struct, frozen=True):
    """A player whom a host named.

    Attributes:
        player: The id.
        name: What the player is called; null where that was erased.
    """

    player: str
    name: str | None


class WritersView(Struct, frozen=True):
    """Who may write about a match besides its hosts.

    Attributes:
        casters: Who may at any time.
        everybody: Whether every player of the house may, once the match is over.
    """

    casters: tuple[Caster, ...]
    everybody: bool


@get(
    "/matches/{match_id:uuid}/comments/writers",
    operation_id="view_writers",
    summary="Who may write about a match",
    opt={"answers": WritersView, "problems": ("unknown_match",)},
)
async def view_writers(match_id: FromPath[UUID], parts: Injected[Dependencies]) -> Response[bytes]:
    """Return who may write about a match besides its hosts."""
    return await _seen(match_id, parts)


@put(
    "/matches/{match_id:uuid}/comments/writers",
    operation_id="let_write",
    summary="Say who may write about a match",
    security=[{"bearer": []}],
    opt={
        "answers": WritersView,
        "problems": (
            *("bad_idempotency_key", "bad_if_match", "unknown_match"),
            *("no_token", "bad_token", "not_the_host", "unknown_person"),
        ),
    },
)
async def let_write(match_id: FromPath[UUID], request: AnyRequest, parts: Injected[Dependencies]) -> Response[bytes]:
    """Name casters, and say whether every player may write once the match is over, as a host.

    What is sent holds from then on as a whole; what was written stays.
    """
    token = await writing(request, parts, match_id)
    _, body = await identity_of(request, scope_of(token))
    asked = bodies.read(request, body, _LETS)
    casters = tuple(dict.fromkeys(asked.casters))
    await parts.comments.let_write(match_id, token, Writers(casters, asked.everybody))
    return await _seen(match_id, parts)


@route("/matches/{match_id:uuid}/comments/writers", http_method="OPTIONS", status_code=204, include_in_schema=False)
async def methods() -> Response[None]:
    """Return both methods of the address; the framework's own answer knows only the first that was registered."""
    return Response(None, status_code=204, headers={"Allow": "GET, OPTIONS, PUT"})


async def _seen(match_id: UUID, parts: Dependencies) -> Response[bytes]:
    found, names = await parts.comments.writers(match_id)
    casters = tuple(Caster(player, names.get(player)) for player in found.casters)
    return json_of(WritersView(casters, found.everybody), headers={"Cache-Control": "no-store"})
