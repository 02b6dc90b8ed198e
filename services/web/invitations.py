"""Invitations to a table: its address as others can open it, and the QR code of that address.

A visitor has named the house in the `Host` header, and others can name it so as well, unless that name means the
visitor's own machine. A house that listens to others has an address for them in that case, and tells it to whoever is
at its machine: anybody may write such a name, and how a network looks from within is nobody's to ask from without.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from io import BytesIO
from typing import Any, Final
from uuid import UUID

import segno
from litestar import Request, Response, get
from litestar.params import FromPath

from projections.view import View
from services.http.codings.variants import Variant, Variants
from services.http.etags import has
from services.http.front.proxies import address_of
from services.http.injected import Injected
from services.http.layers.hosts import is_own, name_of
from services.http.problems import HttpProblem
from services.http.reach import url_of
from services.web.sites import Site

Reach = Callable[[], Sequence[str]]
"""Returns the names and addresses at which others reach the house, as `services.http.reach.others_reach` does."""
AnyRequest = Request[Any, Any, Any]

HOST_MAX: Final = 261
"""A name has at most 253 characters (RFC 1035 section 2.3.4), and a port six more, or brackets two."""
_QUIET: Final = 4
_SVG: Final = "image/svg+xml"
_CACHING: Final = "public, max-age=300"
"""A machine that has moved to another network has another address; its code is old for five minutes."""
_REMEMBERED: Final = 256
"""Codes that are not drawn again, of two kilobytes each as a rule, of seven at most; to draw one takes ten
milliseconds."""


async def spectator_view(site: Site, match: str) -> View | None:
    """Return the match of this id as a spectator sees it; None if nothing has such an id."""
    try:
        match_id = UUID(match)
    except ValueError:
        return None
    return await site.view(match_id)


def address_for_others(request: AnyRequest, path: str, reach: Reach) -> str:
    """Return the address at which others open what stands at this path."""
    origin = str(request.base_url).rstrip("/")
    if is_own(name_of(request.base_url.netloc)) and _is_here(request):
        others, server = reach(), request.scope["server"]
        if others and server is not None and server[1] is not None:
            origin = url_of(others[0], server[1])
    return f"{origin}{path}"


def _is_here(request: AnyRequest) -> bool:
    """Report whether the visitor is at the machine of the house."""
    client = None if request.client is None else address_of(request.client.host)
    return client is not None and client.is_loopback


@get("/m/{match:str}/qr.svg", opt={"dear": True}, include_in_schema=False)
async def code(
    request: AnyRequest, match: FromPath[str], site: Injected[Site], reach: Injected[Reach]
) -> Response[bytes]:
    """Return the QR code of a table's address.

    Raises:
        HttpProblem: `unknown_match`; `bad_host`, for a name that is longer than any name.
    """
    view = await spectator_view(site, match)
    if view is None:
        raise HttpProblem("unknown_match")
    return code_of(request, f"/m/{view.match}", reach)


def code_of(request: AnyRequest, path: str, reach: Reach) -> Response[bytes]:
    """Return the QR code of the address at which others open what stands at this path.

    Raises:
        HttpProblem: `bad_host`, for a name that is longer than any name.
    """
    if len(request.base_url.netloc) > HOST_MAX:
        raise HttpProblem("bad_host", f"a host has at most {HOST_MAX} characters with its port")
    drawing = _drawn(address_for_others(request, path, reach))
    headers = {"ETag": drawing.etag, "Cache-Control": _CACHING}
    if has(request.headers.get("if-none-match"), drawing.etag):
        return Response(b"", status_code=304, media_type=_SVG, headers=headers)
    return Response(drawing.body, media_type=_SVG, headers=headers)


def drawing_of(url: str) -> str:
    """Return the QR code of an address as it is drawn within a page."""
    return _drawn(url).body.decode()


@lru_cache(_REMEMBERED)
def _drawn(url: str) -> Variant:
    """Return the code of an address, without a size of its own. Source: ISO/IEC 18004."""
    drawing = BytesIO()
    segno.make_qr(url).save(
        *(drawing, "svg"), border=_QUIET, light="#fff", omitsize=True, xmldecl=False, svgclass=None, lineclass=None
    )
    return Variants(drawing.getvalue()).accepted(None)
