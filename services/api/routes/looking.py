"""Attendance by requests: looks at a match, by pages and by the interface, keep a table of bots alive.

Records, audits and the log are read by machines that check the house; they are no looks.
"""

from __future__ import annotations

import re
from typing import Final
from uuid import UUID

from litestar.enums import ScopeType
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from services.matches.looks import HOUSE, Looks

_REFUSED: Final = 400
_OF_A_MATCH: Final = re.compile(r"/m/([^/]+)(?:/replay|/audit)?|/api/v1/matches/([^/]+)(?:/replay)?")
_OF_THE_HOUSE: Final = re.compile(r"/|/tables/[^/]+|/api/v1/matches")


class Looking:
    """Notes looks that are answered. A stream notes its own, which lasts as long as it is open."""

    def __init__(self, looks: Looks) -> None:
        """Note them there."""
        self._looks = looks

    def concerns(self, handler: HTTPRouteHandler) -> bool:
        """Report whether it shows anything."""
        return "GET" in handler.http_methods

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Pass the request on, and note what is looked at from the first byte of the answer to the last."""
        assert scope["type"] == ScopeType.HTTP
        what = target_of(scope["path"]) if scope["method"] == "GET" else None
        if what is None:
            await next_app(scope, receive, send)
            return
        looking = False

        async def noting(message: Message) -> None:
            nonlocal looking
            if message["type"] == "http.response.start" and message["status"] < _REFUSED:
                self._looks.begin(what)
                looking = True
            await send(message)

        try:
            await next_app(scope, receive, noting)
        finally:
            if looking:
                self._looks.end(what)


def target_of(path: str) -> str | None:
    """Return what a request for this path looks at: a match, by its id, or the house; None for anything else."""
    found = _OF_A_MATCH.fullmatch(path)
    if found is None:
        return HOUSE if _OF_THE_HOUSE.fullmatch(path) else None
    try:
        return str(UUID(found[1] or found[2]))
    except ValueError:
        return None
