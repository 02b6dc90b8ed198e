"""The transparency log over HTTP: checkpoint, tiles and entries.

Whoever follows logs (monitors, witnesses, auditors) finds it below `/log`, as C2SP tlog-tiles says; the interface has
the checkpoint, too, and the policy.
"""

from __future__ import annotations

import gzip
from typing import Any, Final

from litestar import Request, Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

from services.api.dependencies import Dependencies
from services.http.codings.negotiation import accepted_by, coding_for
from services.http.injected import Injected
from services.http.paths import is_at
from services.http.problems import HttpProblem

_TEXT: Final = "text/plain"
_BYTES: Final = "application/octet-stream"
_FOR_EVER: Final = "public, max-age=31536000, immutable"


@get(
    "/log/checkpoint",
    operation_id="checkpoint",
    summary="The latest signed tree head",
    opt={"media_types": ("text/plain",), "problems": ("no_checkpoint",)},
)
async def checkpoint(parts: Injected[Dependencies]) -> Response[bytes]:
    """Return the latest checkpoint, a C2SP signed note."""
    signed = await parts.log.checkpoint()
    if signed is None:
        raise HttpProblem("no_checkpoint")
    return Response(signed, media_type=_TEXT, headers={"Cache-Control": "no-cache"})


@get(
    "/log/policy",
    operation_id="policy",
    summary="The key of the log, as an audit policy",
    opt={"media_types": ("text/plain",)},
)
async def policy(parts: Injected[Dependencies]) -> Response[bytes]:
    """Return the policy text for `truecup audit --policy`. Keep a copy: it is what later records are held against."""
    return Response(await parts.log.policy(), media_type=_TEXT, headers={"Cache-Control": "public, max-age=300"})


@get(
    "/log/checkpoint",
    operation_id="log_checkpoint",
    summary="The latest signed tree head, where C2SP tlog-tiles has it",
    opt={"media_types": ("text/plain",), "problems": ("no_checkpoint",)},
)
async def head(request: Request[Any, Any, Any], parts: Injected[Dependencies]) -> Response[bytes]:
    """Return the latest checkpoint, where C2SP tlog-tiles asks for it."""
    if not is_at(request, "/log/checkpoint"):
        raise NotFoundException
    signed = await parts.log.checkpoint()
    if signed is None:
        raise HttpProblem("no_checkpoint")
    return Response(signed, media_type=_TEXT, headers={"Cache-Control": "no-cache"})


@get(
    "/log/tile/{path:path}",
    operation_id="log_tile",
    summary="A tile of hashes, or a bundle of entries (C2SP tlog-tiles)",
    opt={"media_types": ("application/octet-stream",), "problems": ("no_tile",)},
)
async def tile(request: Request[Any, Any, Any], path: FromPath[str], parts: Injected[Dependencies]) -> Response[bytes]:
    """Return a tile of hashes, or a bundle of entries: what is at such an address never changes."""
    name = path.removeprefix("/")
    found = await parts.log.tile(name) if is_at(request, f"/log/tile/{name}") else None
    if found is None:
        raise HttpProblem("no_tile")
    headers = {"Cache-Control": _FOR_EVER}
    if name.startswith("entries/"):
        headers["Vary"] = "Accept-Encoding"
        if coding_for(accepted_by(request.headers), ["gzip"]) is not None:
            found, headers["Content-Encoding"] = gzip.compress(found, mtime=0), "gzip"
    return Response(found, media_type=_BYTES, headers=headers)


TILES: Final = (head, tile)
"""What stands below `/log`."""
