"""The socket for players: `/socket`, a WebSocket on which commands are sent and matches are followed."""

from __future__ import annotations

from typing import Any

from litestar import Request, Response, get

from services.api.dependencies import Dependencies
from services.api.looking_on import browser_of
from services.api.meters import SocketMeter
from services.api.socket.session import SocketSession
from services.http.front.addresses import network_of
from services.http.front.rates import Rates
from services.http.front.upgrades import Switching
from services.http.heads import wants_head
from services.http.injected import Injected
from services.http.layers.security_headers import crosses
from services.http.problems import HttpProblem


@get("/socket", include_in_schema=False)
async def socket(
    request: Request[Any, Any, Any],
    parts: Injected[Dependencies],
    rates: Injected[Rates],
    spoken: Injected[SocketMeter],
) -> Response[Any]:
    """Switch to WebSocket. What is said there is described in `/asyncapi.json`.

    Browsers let pages of any site open sockets to any other, with nothing but `Origin` to tell; so a page of another
    site is refused, as its writes are. Programs send no `Origin` and pass.
    """
    if crosses(request.headers):
        raise HttpProblem("cross_site")
    if not parts.doors.are_open:
        raise HttpProblem("closing")
    if wants_head(request.scope):
        raise HttpProblem("upgrade_required")
    return Switching(request.scope, SocketSession(parts, rates, network_of(request.scope), spoken, browser_of(request)))
