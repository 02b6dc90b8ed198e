"""What the house publishes of its transparency log."""

from __future__ import annotations

from litestar import Response, get

from services.api.given import Given
from services.api.parts import Parts
from services.api.problems import Trouble

_TEXT = "text/plain"


@get(
    "/log/checkpoint",
    operation_id="checkpoint",
    summary="The latest signed tree head",
    opt={"media_types": ("text/plain",), "problems": ("no_checkpoint",)},
)
async def checkpoint(parts: Given[Parts]) -> Response[bytes]:
    """Return the latest checkpoint, a C2SP signed note."""
    signed = await parts.log.checkpoint()
    if signed is None:
        raise Trouble("no_checkpoint")
    return Response(signed, media_type=_TEXT, headers={"Cache-Control": "no-cache"})


@get(
    "/log/policy",
    operation_id="policy",
    summary="The key of the log, as an audit policy",
    opt={"media_types": ("text/plain",)},
)
async def policy(parts: Given[Parts]) -> Response[bytes]:
    """Return the policy text for `truecup audit --policy`. Keep a copy: it is what later records are held against."""
    return Response(await parts.log.policy(), media_type=_TEXT, headers={"Cache-Control": "public, max-age=300"})
